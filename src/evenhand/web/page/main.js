// The four parts, one shown at a time; the address says which, and what it shows.

import { at } from "/page/api.js";
import * as audit from "/page/audit.js";
import * as evaluate from "/page/evaluate.js";
import * as learn from "/page/learn.js";
import * as play from "/page/play.js";

const PARTS = { play, evaluate, audit, learn };
const begun = new Set();
for (const off of document.body.dataset.without.split(" ").filter(Boolean)) { // what is not done here
  delete PARTS[off];
  document.querySelector(`[data-part="${off}"]`)?.parentNode.remove();
  at(off).remove();
}

function open() {
  const [name, ...rest] = location.hash.slice(1).split("?");
  const state = rest.join("?");
  const part = name in PARTS ? name : "play";
  for (const one of Object.keys(PARTS)) at(one).hidden = one !== part;
  for (const link of document.querySelectorAll("[data-part]")) link.ariaCurrent = link.dataset.part === part ? "page" : null;
  document.title = `${document.querySelector("[aria-current]").textContent} \u2013 evenhand`;
  if (!begun.has(part)) {
    begun.add(part);
    PARTS[part].begin(state);
  } else PARTS[part].moved?.(state);
}

addEventListener("hashchange", open);
open();
