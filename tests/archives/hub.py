"""A server of the hub's resolve interface that tests can make busy, slow, forgetful or wrong."""

import http.server
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    """A server to which a reader that hangs up is no event worth a traceback; anything else is."""

    def handle_error(self, request, client_address):
        """Let cut connections go, which is what half of these tests are about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Hub:
    """A server of the resolve interface whose behaviour a test sets by plain attributes."""

    def __init__(self, content=b""):
        self.content = content
        self.files = {}
        """Contents by the end of their address; `content` stands for all others."""
        self.tag = '"one"'
        self.cut_after = []
        """Bytes after which the next answers break off."""
        self.statuses = []
        """Statuses of the next answers, in place of the file."""
        self.held_after = None
        """Bytes after which an answer stops until `let_go`; `holding` says that it has come so far."""
        self.holding, self.let_go = threading.Event(), threading.Event()
        self.ranges = True
        self.redirect_to = None
        self.requests = []
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                hub.answer(self)

            def log_message(self, *_):
                return

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def answer(self, request):
        """Answer one request."""
        self.requests.append({"path": request.path, **{name.title(): value for name, value in request.headers.items()}})
        request.close_connection = True
        if self.statuses:
            self.refuse(request, self.statuses.pop(0))
        elif self.redirect_to:
            self.refuse(request, 302, Location=f"{self.redirect_to}{request.path}")
        else:
            self.send(request)

    @staticmethod
    def refuse(request, status, **headers):
        """Answer without a body."""
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        if status == 429:
            request.send_header("Retry-After", "7")
        request.send_header("Content-Length", "0")
        request.end_headers()

    def send(self, request):
        """Send the file, or the rest of it."""
        content = next((found for end, found in self.files.items() if request.path.endswith(end)), self.content)
        asked = request.headers.get("Range")
        fits = request.headers.get("If-Range") == self.tag
        start = int(asked[6:].rstrip("-")) if asked and fits and self.ranges else 0
        if start and start >= len(content):
            self.refuse(request, 416)
            return
        body = content[start:]
        request.send_response(206 if start else 200)
        request.send_header("ETag", self.tag)
        request.send_header("Content-Length", str(len(body)))
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        request.end_headers()
        self.write(request, body[: self.cut_after.pop(0)] if self.cut_after else body)

    def write(self, request, body):
        """Write a body, or its first bytes and the rest when a test lets go."""
        if self.held_after is None or len(body) <= self.held_after:
            request.wfile.write(body)
            return
        request.wfile.write(body[: self.held_after])
        self.holding.set()
        self.let_go.wait(60)
        request.wfile.write(body[self.held_after :])

    def close(self):
        """Stop serving."""
        self.let_go.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
