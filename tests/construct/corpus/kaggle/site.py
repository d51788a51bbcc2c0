"""A server that speaks as much of Kaggle's interface as downloads need, and can be busy, strict, slow or wrong.

kagglehub knows Kaggle's own address and that of a Kaggle on this machine, `http://localhost`; the server stands as the
proxy before that one, so that it needs neither the port nor a change of the client.
Source of requests and answers: kagglesdk 0.1 (`kaggle_http_client.py`, `datasets`, `kernels`) and kagglehub 1.0
(`clients.py`).
"""

import base64
import hashlib
import http.server
import io
import json
import sys
import threading
import zipfile


def zipped(files, method=zipfile.ZIP_DEFLATED):
    """Return a zip archive of {name: content}."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def stored(content):
    """Return an archive that is as long as the one file in it, `a.bin`."""
    return zipped({"a.bin": content}, zipfile.ZIP_STORED)


class Server(http.server.ThreadingHTTPServer):
    """A server to which a reader that hangs up is no event worth a traceback."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        """Let cut connections go."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Site:
    """Kaggle, as tests set it up by plain attributes."""

    def __init__(self):
        self.datasets = {}
        """`owner/slug`: {"title", "licenseName", "currentVersionNumber"}."""
        self.archives = {}
        """(`owner/slug`, version): bytes of the archive."""
        self.notebooks = {}
        """`owner/slug` or `owner/slug/version`: the answer."""
        self.refusals = {}
        """`owner/slug`: status for every request about it."""
        self.answers = []
        """(status, headers) of the next answers, in place of what was asked for."""
        self.cut_after = []
        """Bytes after which the next transfers break off; None for one that does not."""
        self.held_after = None
        """Bytes after which a transfer stops until `let_go`; `holding` says that it has come so far."""
        self.holding, self.let_go = threading.Event(), threading.Event()
        self.requests = []
        """(what was asked, who, range)."""
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                site.transfer(self)

            def do_POST(self):
                site.answer(self)

            def log_message(self, *_):
                return

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def add_dataset(self, name, files, *, version=1, licence="CC0: Public Domain", title=None):
        """Publish a data set."""
        owner, slug = name.split("/")
        self.datasets[name] = {
            "ref": name,
            "ownerRef": owner,
            "title": title or slug.replace("-", " "),
            "licenseName": licence,
            "currentVersionNumber": version,
        }
        self.archives[name, version] = zipped(files)

    def add_notebook(self, name, cells, *, version=1, current=None, sources=(), **facts):
        """Publish a version of a notebook."""
        source = {
            "nbformat": 4,
            "nbformat_minor": 4,
            "metadata": {},
            "cells": [
                {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None}
                for cell in cells
            ],
        }
        slug = name.split("/")[1]
        blob = {"source": json.dumps(source), "language": "python", "kernelType": "notebook", "slug": slug} | facts
        metadata = {
            "ref": name,
            "title": slug.replace("-", " "),
            "currentVersionNumber": current or version,
            "datasetDataSources": list(sources),
            "dockerImage": "gcr.io/kaggle-images/python@sha256:0",
        }
        answer = {"metadata": metadata, "blob": blob}
        self.notebooks[f"{name}/{version}"] = answer
        self.notebooks[name] = answer

    def answer(self, request):
        """Answer a call of the interface."""
        asked = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        call = request.path.rpartition("/")[2]
        owner = asked.get("ownerSlug") or asked.get("userName")
        name = f"{owner}/{asked.get('datasetSlug') or asked.get('kernelSlug')}"
        self.requests.append((f"{call} {name}", request.headers.get("Authorization"), None))
        if self.answers:
            self.send(request, *self.answers.pop(0))
        elif refused := self.refusals.get(name):
            self.send(request, refused, {}, {"code": refused, "message": "Permission denied"})
        else:
            getattr(self, call)(request, name, asked)

    def GetDataset(self, request, name, _):  # noqa: N802 -- the interface's name
        """Say what a data set is."""
        found = self.datasets.get(name)
        self.send(request, 200 if found else 404, {}, found or {"code": 404, "message": "Not found"})

    def GetKernel(self, request, name, _):  # noqa: N802 -- likewise
        """Send a notebook."""
        found = self.notebooks.get(name)
        self.send(request, 200 if found else 404, {}, found or {"code": 404, "message": "Not found"})

    def DownloadDataset(self, request, name, asked):  # noqa: N802 -- likewise
        """Send to where the archive lies."""
        version = asked.get("datasetVersionNumber")
        if (name, version) in self.archives:
            self.send(request, 302, {"Location": f"http://storage.invalid/storage/{name}/{version}"})
        else:
            self.send(request, 404, {}, {"code": 404, "message": "Not found"})

    def transfer(self, request):
        """Send an archive, or the rest of it."""
        owner, slug, version = request.path.rpartition("/storage/")[2].split("/")
        asked = request.headers.get("Range")
        self.requests.append((f"storage {owner}/{slug}/{version}", request.headers.get("Authorization"), asked))
        content = self.archives[f"{owner}/{slug}", int(version)]
        start = int(asked[6:].rstrip("-")) if asked else 0
        body = content[start:]
        request.send_response(206 if start else 200)
        digest = base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()
        headers = {"Content-Length": str(len(body)), "Accept-Ranges": "bytes", "x-goog-hash": f"md5={digest}"}
        for header, value in headers.items():
            request.send_header(header, value)
        request.end_headers()
        request.close_connection = True
        self.write(request, body[: self.cut_after.pop(0)] if self.cut_after else body)

    def write(self, request, body):
        """Write a body, or its first bytes and the rest when a test lets go."""
        if self.held_after is None:
            request.wfile.write(body)
            return
        request.wfile.write(body[: self.held_after])
        self.holding.set()
        self.let_go.wait(60)
        request.wfile.write(body[self.held_after :])

    @staticmethod
    def send(request, status, headers=None, body=None):
        """Answer with JSON."""
        content = json.dumps(body if body is not None else {}).encode()
        request.send_response(status)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def asked(self, start):
        """Return the requests whose call begins so."""
        return [one for one in self.requests if one[0].startswith(start)]

    def close(self):
        """Stop serving."""
        self.let_go.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
