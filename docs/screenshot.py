"""Take the picture of Play for README.md in Chromium: ``make pictures``."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

OUT = Path(__file__).parent / "pictures" / "play.png"
SIZE = {"width": 1080, "height": 900}


def main() -> None:
    """One table changed, so that what moved is seen."""
    serve = [sys.executable, "-m", "evenhand", "serve", "--port", "0", "--no-browser"]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        try:
            line = next(line for line in server.stderr if "evenhand is at" in line)
            with sync_playwright() as p:
                browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page(viewport=SIZE)
                page.goto(re.search(r"http://\S+", line)[0])
                page.wait_for_selector("#metrics tbody tr")
                page.fill('#first [data-at="2-2"]', "9")
                page.wait_for_selector("#metrics .up")
                page.evaluate("() => document.activeElement.blur()")
                page.screenshot(path=OUT)
                browser.close()
        finally:
            server.terminate()
    print(f"docs/pictures/{OUT.name}  {OUT.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
