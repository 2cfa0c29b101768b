# The web page and its API: docker build -t evenhand . && docker run --rm -p 127.0.0.1:8000:8000 evenhand
FROM python:3.11-slim
WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir -c constraints.txt ".[web]" && useradd --system --no-create-home evenhand
USER evenhand
# The names under which it may be asked for; a proxy in front of it must hand on Host and Origin.
ENV EVENHAND_WEB_HOSTS=localhost,127.0.0.1
EXPOSE 8000
CMD ["uvicorn", "--factory", "evenhand.web:create_app", "--host", "0.0.0.0", "--port", "8000", \
     "--workers", "2", "--no-server-header", "--log-level", "warning", "--limit-concurrency", "200"]
