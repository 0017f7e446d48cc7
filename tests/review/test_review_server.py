"""The server of a review: nobody gets in uninvited, other sites are refused, and what was acknowledged stays."""

import http.client
import re
from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'blindauc[review]'")
pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'blindauc[review]'")

from bent_findings import bent, hostile_bent
from findings_examples import HOSTILE, shaky
from review_desk import N_LABELS, Client, desk_in

from blindauc.report.findings import Checks
from blindauc.review.record import RECORD, Record
from blindauc.review.security import Door, TooSoonError
from blindauc.review.serving import prepare

PATHS = (
    *("/", "/state", "/rows/1", "/checked.csv", "/style.css", "/review.js", "/icon.svg", "/favicon.ico", "/nowhere"),
    *("/../run.json", "/rows/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/review.sqlite"),
)


@pytest.fixture
def serve(tmp_path):
    """Start servers, each of which is stopped at the end; gives the address."""
    running = []

    def start(make=None, *, blind=False, **options):
        desk = desk_in(tmp_path, **({} if make is None else {"make": make}), blind=blind)
        serving = prepare(desk, **options).in_background()
        running.append((serving, desk))
        return serving.__enter__()

    yield start
    for serving, desk in running:
        serving.__exit__(None, None, None)
        desk._record.close()


@pytest.fixture
def client(serve):
    made = Client(serve())
    yield made
    made.close()


def stranger_to(address):
    """A client that knows where, but not the secret."""
    return Client(re.sub(r"/enter.*", "/", address))


def test_without_the_token_every_path_is_closed(serve):
    stranger = stranger_to(serve())
    for path in (*PATHS, "/enter", "/enter?token=", "/enter?token=wrong"):
        for cookie in (None, "blindauc-review=x", f"blindauc-review-{stranger.host.split(':')[1]}=guess", '"'):
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
                answer = stranger.ask(method, path, Cookie=cookie)
                # A wrong token is slowed down as well.
                assert answer.status in (401, 403, 429), (method, path)
                assert b"P-0" not in answer.content
    assert stranger.ask("GET", "/enter?token=wrong").status == 429
    stranger.close()


def test_the_token_becomes_a_cookie_and_leaves_the_address(serve):
    client = Client(serve())
    assert client.welcome.status == 200
    assert b'content="0;url=/"' in client.welcome.content
    cookie = client.welcome.getheader("set-cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "token" not in cookie
    assert client.ask("GET", "/").status == 200
    assert client.ask("GET", "/nowhere").status == 404
    # Servers at other ports of this machine have cookies as well.
    assert client.ask("GET", "/", Cookie=f'other={{"a": [1, "b c"]}}; {client.cookie}; "=').status == 200
    client.close()


def test_no_path_outside_of_the_run_can_be_read(client, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    for path in (*PATHS, "/secret.txt", "/static/../secret.txt", f"/{tmp_path}/secret.txt"):
        answer = client.ask("GET", path)
        assert answer.status in (200, 404)
        assert b"root:" not in answer.content
        assert b"secret" not in answer.content
        assert not answer.content.startswith(b"SQLite")


def test_headers_of_every_answer(client):
    for path in ("/", "/nowhere", "/state?reviewer=Ada", "/rows/1", "/checked.csv", "/review.js", "/enter?token=x"):
        answer = client.ask("GET", path)
        policy = answer.getheader("content-security-policy")
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.getheader("x-content-type-options") == "nosniff"
        assert answer.getheader("referrer-policy") == "no-referrer"
        assert answer.getheader("cache-control") == "no-store"
        assert answer.getheader("x-frame-options") == "DENY"
        assert answer.getheader("server") is None
        assert answer.getheader("access-control-allow-origin") is None


def test_other_sites_are_refused(client):
    body = '{"request": "a", "row": 1, "decision": "wrong", "version": 0, "reviewer": "Ada", "note": ""}'
    port = client.host.split(":")[1]
    for origin in (None, "null", "http://evil.example", f"http://localhost:{port}", f"https://{client.host}"):
        assert client.ask("POST", "/decisions", body, Origin=origin).status == 403
    # A name of the attacker's that leads to this machine.
    assert client.ask("GET", "/", Host=f"evil.example:{port}").status == 403
    evil = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    assert client.ask("POST", "/decisions", body, **evil).status == 403
    assert client.get("/state?reviewer=Ada")["changes"]["rows"] == []
    assert client.ask("POST", "/decisions", body).status == 200


def test_from_elsewhere_only_with_a_password(serve, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("blindauc.review.serving.Door", partial(Door, clock=lambda: now[0]))
    with pytest.raises(ValueError, match="a password is needed"):
        serve(host="0.0.0.0")
    address = serve(host="0.0.0.0", password="correct horse")
    assert "token" not in address
    stranger = Client(address.replace("0.0.0.0", "127.0.0.1"))
    assert stranger.welcome.status == 401
    assert b'type="password"' in stranger.welcome.content
    assert "script-src" not in stranger.welcome.getheader("content-security-policy")
    for path in PATHS:
        assert stranger.ask("GET", path).status in (401, 403)
    assert stranger.ask("GET", "/enter").status == 401
    assert stranger.ask("POST", "/enter", "password=correct+horse", Origin="http://evil.example").status == 403
    assert stranger.ask("POST", "/enter", "password=wrong+horse").status == 403
    slowed = stranger.ask("POST", "/enter", "password=correct+horse")
    assert slowed.status == 429
    assert int(slowed.getheader("retry-after")) <= 1
    now[0] += 0.6
    answer = stranger.ask("POST", "/enter", "password=correct+horse")
    assert answer.status == 303
    stranger.cookie = answer.getheader("set-cookie").partition(";")[0]
    assert stranger.ask("GET", "/").status == 200
    stranger.close()


def test_guesses_are_slowed_more_and_more_and_the_password_is_not_kept():
    now = [0.0]
    door = Door("correct horse", clock=lambda: now[0])
    waits = []
    for _ in range(9):
        assert door.enter("guess", "10.0.0.7") is None
        with pytest.raises(TooSoonError) as told:
            door.enter("correct horse", "10.0.0.7")
        waits.append(told.value.wait)
        now[0] += told.value.wait
    assert waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert door.knows(door.enter("correct horse", "10.0.0.8"))
    assert door.knows(door.enter("correct horse", "10.0.0.7"))
    assert "correct horse" not in repr(vars(door))
    assert not door.knows("")
    with pytest.raises(ValueError, match="at least 8"):
        Door("short")


def test_who_has_the_right_token_never_waits_for_those_who_guess():
    door = Door()
    assert door.enter("guess", "127.0.0.1") is None
    with pytest.raises(TooSoonError):
        door.enter("guess", "127.0.0.1")
    assert door.knows(door.enter(door.token, "127.0.0.1"))


def test_a_decision_and_what_is_known_then(client):
    before = client.get("/state?reviewer=Ada")
    assert [row for row, _ in before["queues"]["labels"]["rows"]] == list(range(1, N_LABELS + 1))
    assert "Nothing is checked yet" in before["summaries"]["labels"]
    status, news = client.decide("a", 1, "wrong", note="no fever")
    assert status == 200
    assert news["row"] | {"others": []} == news["row"]
    assert (news["row"]["version"], news["row"]["mine"], news["row"]["note"]) == (1, "wrong", "no fever")
    assert "1 of 1 label was wrong" in news["summaries"]["labels"]
    assert "Nothing is checked yet" in news["summaries"]["unlabelled"]
    assert client.decide("b", N_LABELS + 1, "positive")[0] == 200
    csv = client.ask("GET", "/checked.csv?reviewer=Ada").content.decode("utf-8-sig").splitlines()
    assert len(csv) == 3
    assert '"positive","wrong","no fever","Ada"' in csv[1]


def test_rows_checked_before_the_fit_are_counted_and_not_queued(serve):
    client = Client(serve(lambda: replace(bent(), checks=Checks(n_right=4, n_wrong=1, n_positive=1, n_negative=0))))
    state = client.get("/state?reviewer=Ada")
    labels, unlabelled = state["queues"]["labels"], state["queues"]["unlabelled"]
    assert [row for row, _ in labels["rows"]] == list(range(1, N_LABELS - 4))
    assert (labels["before"], unlabelled["before"]) == (5, 1)
    words = state["summaries"]["labels"]
    assert "5 labels were checked before this fit, and 1 of them was wrong." in words
    assert "Nothing is checked since." in words
    assert f"Of the {N_LABELS - 5} labels that are not checked, expect" in words
    assert (
        "1 unlabelled row was checked before this fit, and 1 of them was positive." in state["summaries"]["unlabelled"]
    )
    assert client.ask("GET", f"/rows/{N_LABELS}").status == 404
    _, news = client.decide("a", 1, "wrong")
    assert "1 of 1 label was wrong" in news["summaries"]["labels"]
    client.close()


def test_all_labels_checked_before_the_fit(serve):
    client = Client(serve(lambda: replace(bent(), checks=Checks(N_LABELS - 2, 2, 0, 0))))
    state = client.get("/state?reviewer=Ada")
    assert state["queues"]["labels"]["rows"] == []
    assert "All of them are checked." in state["summaries"]["labels"]
    client.close()


def test_a_conflict_is_shown_and_kept(client):
    assert client.decide("a", 1, "wrong", reviewer="Ada")[0] == 200
    status, content = client.decide("b", 1, "right", reviewer="Bo")
    assert status == 409
    assert content["row"]["others"] == [{"reviewer": "Ada", "decision": "wrong", "note": ""}]
    assert client.decide("b", 1, "right", reviewer="Bo")[0] == 409  # the same request again
    status, content = client.decide("c", 1, "right", version=1, reviewer="Bo")
    assert status == 200
    assert [row for row, _ in content["disagreements"]] == [1]
    # Who settles it, changes their mind.
    assert client.decide("d", 1, "right", version=2, reviewer="Ada")[1]["disagreements"] == []


def test_blind_reviewers_see_nothing_of_each_other(serve):
    client = Client(serve(blind=True))
    assert client.decide("a", 1, "wrong", reviewer="Ada", note="secret")[0] == 200
    seen = client.get("/state?reviewer=Bo")
    assert seen["changes"]["rows"] == []
    assert "Nothing is checked yet" in seen["summaries"]["labels"]
    assert client.get("/rows/1?reviewer=Bo") | {"version": 0, "mine": None, "others": []} == client.get(
        "/rows/1?reviewer=Bo"
    )
    status, content = client.decide("b", 1, "right", reviewer="Bo")
    assert status == 200
    assert content["disagreements"] == []
    assert b"secret" not in client.ask("GET", "/checked.csv?reviewer=Bo").content
    client.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"[" * 50_000,
        b'{"request": "a"}',
        b'{"request": 1, "row": 1, "decision": "wrong", "version": 0, "reviewer": "Ada", "note": ""}',
        b'{"request": "a", "row": true, "decision": "wrong", "version": 0, "reviewer": "Ada", "note": ""}',
        b'{"request": "a", "row": 999, "decision": "wrong", "version": 0, "reviewer": "Ada", "note": ""}',
        b'{"request": "a", "row": 1, "decision": "drop table", "version": 0, "reviewer": "Ada", "note": ""}',
        b'{"request": "a", "row": 1, "decision": "wrong", "version": 0, "reviewer": " ", "note": ""}',
        b'{"request": "a", "row": 1, "decision": "wrong", "version": 0, "reviewer": "\\ud800", "note": ""}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_decision_is_answered_and_changes_nothing(client, body):
    assert client.ask("POST", "/decisions", body).status == 400
    assert client.get("/state?reviewer=Ada")["changes"]["last"] == 0


def test_too_much_is_not_read(client):
    assert client.ask("POST", "/decisions", b"x" * 70_000).status == 413
    chunks = (b"x" * 20_000 for _ in range(5))
    connection = http.client.HTTPConnection(*client.host.split(":"), timeout=20)
    headers = {"Cookie": client.cookie, "Origin": f"http://{client.host}"}
    connection.request("POST", "/decisions", chunks, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_full_disk_is_told_and_the_same_request_works_later(tmp_path):
    record = Record(tmp_path / RECORD, data="0444", model="9f86")
    with prepare(desk_in(tmp_path, record=record)).in_background() as address:
        client = Client(address)
        record._connection.execute("PRAGMA max_page_count = 1")
        statuses = [client.decide(str(row), row, note="x" * 1500)[0] for row in range(1, N_LABELS + 1)]
        assert 507 in statuses
        record._connection.execute("PRAGMA max_page_count = 100000")
        assert client.decide(str(N_LABELS), N_LABELS, note="x" * 1500)[0] == 200
        kept = {row["row"] for row in client.get("/state?reviewer=Ada")["changes"]["rows"]}
        assert {row for row, status in enumerate(statuses, start=1) if status == 200} <= kept
        client.close()
    record.close()


def test_hostile_names_are_escaped_everywhere(serve):
    client = Client(serve(hostile_bent))
    pages = [client.ask("GET", "/").content.decode()]
    pages += [client.get(f"/rows/{row}?reviewer=Ada")["html"] for row in range(1, len(HOSTILE) + 1)]
    for page in pages:
        for payload in ("<script>window", "<img", "<svg onload", "\u202e", "\x00"):
            assert payload not in page
    client.close()


def test_a_run_with_few_labels_can_be_reviewed(serve):
    client = Client(serve(shaky))
    assert client.get("/rows/1?reviewer=Ada")["html"]
    assert client.decide("a", 1, "wrong")[0] == 200
    client.close()
