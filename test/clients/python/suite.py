"""Drives a server with python3-etcd3. One argument: host:port. Prints a line for each test."""

import sys
import threading
import time

import etcd3

HOST, PORT = sys.argv[1].rsplit(":", 1)
PREFIX = "python-etcd3/%d/" % time.time_ns()


def connect():
    return etcd3.client(host=HOST, port=int(PORT), timeout=10)


def check(holds, got):
    if not holds:
        raise AssertionError("got %r" % (got,))


def keys(client):
    for name, value in (("b", "2"), ("a", "3"), ("c", "1")):
        client.put(PREFIX + "kv/" + name, value)
    value, meta = client.get(PREFIX + "kv/a")
    check(value == b"3" and meta.version == 1, (value, meta))
    check(client.get(PREFIX + "kv/none") == (None, None), "something")
    values = [value for value, _ in client.get_prefix(PREFIX + "kv/", sort_order="descend", sort_target="value")]
    check(values == [b"3", b"2", b"1"], values)
    found = [meta.key for _, meta in client.get_range(PREFIX + "kv/a", PREFIX + "kv/c")]
    check(len(found) == 2, found)
    check(client.put(PREFIX + "kv/a", "4", prev_kv=True).prev_kv.value == b"3", "another one")
    check(client.delete(PREFIX + "kv/a"), False)
    check(client.delete(PREFIX + "kv/a") is False, True)
    check(client.delete_prefix(PREFIX + "kv/").deleted == 2, "another count")


def conditions(client):
    key = PREFIX + "txn"
    check(client.put_if_not_exists(key, "1"), False)
    check(not client.put_if_not_exists(key, "2"), True)
    check(client.replace(key, "1", "2"), False)
    check(not client.replace(key, "1", "3"), True)
    functions = client.transactions
    succeeded, answers = client.transaction(
        compare=[functions.version(key) > 0, functions.value(key) == "2", functions.create(key) > 0],
        success=[functions.put(key + "/a", "x"), functions.get(key)],
        failure=[functions.delete(key)],
    )
    check(succeeded, succeeded)
    check(answers[1][0][0] == b"2", answers)
    succeeded, _ = client.transaction(compare=[functions.mod(key) == 1], success=[], failure=[functions.delete(key)])
    check(not succeeded and client.get(key)[0] is None, succeeded)


def watches(client):
    seen = []
    all_seen = threading.Event()

    def on_events(response):
        for event in response.events:
            seen.append((type(event).__name__, event.value))
        if len(seen) >= 3:
            all_seen.set()

    watch = client.add_watch_prefix_callback(PREFIX + "watch/", on_events)
    client.put(PREFIX + "watch/a", "1")
    client.put(PREFIX + "watch/b", "2")
    client.delete(PREFIX + "watch/a")
    check(all_seen.wait(10), seen)
    check(seen == [("PutEvent", b"1"), ("PutEvent", b"2"), ("DeleteEvent", b"")], seen)
    client.cancel_watch(watch)

    revision = client.get(PREFIX + "watch/b")[1].mod_revision
    events, cancel = client.watch(PREFIX + "watch/b", start_revision=revision)
    event = next(events)
    check(event.value == b"2" and event.mod_revision == revision, event)
    cancel()


def compacted(client):
    client.put(PREFIX + "old", "1")
    revision = client.get(PREFIX + "old")[1].mod_revision
    client.put(PREFIX + "old", "2")
    client.compact(revision + 1)
    events, _ = client.watch(PREFIX + "old", start_revision=revision)
    try:
        got = next(events)
    except etcd3.exceptions.RevisionCompactedError as error:
        check(error.compacted_revision == revision + 1, error.compacted_revision)
    else:
        check(False, got)


def leases(client):
    lease = client.lease(30)
    client.put(PREFIX + "lease", "1", lease=lease)
    check(lease.granted_ttl == 30 and 0 < lease.remaining_ttl <= 30, lease.remaining_ttl)
    check(lease.keys == [(PREFIX + "lease").encode()], lease.keys)
    check([answer.TTL for answer in lease.refresh()] == [30], "another TTL")
    lease.revoke()
    check(client.get(PREFIX + "lease")[0] is None, "the key")


def locks(client):
    """One after the other: Debian's package fails when it has to wait (with its version of tenacity)."""
    other = connect()
    first = client.lock(PREFIX + "lock", ttl=10)
    second = other.lock(PREFIX + "lock", ttl=10)
    check(first.acquire(), False)
    check(first.is_acquired() and not second.is_acquired(), "another holder")
    check(first.release() and not first.is_acquired(), "still held")
    check(second.acquire() and second.is_acquired(), False)
    second.release()
    other.close()


def cluster(client):
    status = client.status()
    check(len(status.version.split(".")) == 3 and status.db_size > 0, status.version)
    check(status.leader.id in [member.id for member in client.members], status.leader)


def main():
    client = connect()
    failed = 0
    for test in (keys, conditions, watches, compacted, leases, locks, cluster):
        try:
            test(client)
            print("ok", test.__name__, flush=True)
        except Exception as error:  # all that can go wrong is told
            failed += 1
            print("FAILED %s: %s: %s" % (test.__name__, type(error).__name__, error), flush=True)
    client.delete_prefix(PREFIX)
    client.close()
    sys.exit(1 if failed else 0)


main()
