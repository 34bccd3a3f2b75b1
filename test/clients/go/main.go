// Drives a server with etcd's own Go client. One argument: host:port. Prints a line for each test.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/client/v3/leasing"
	"go.etcd.io/etcd/client/v3/mirror"
	"go.etcd.io/etcd/client/v3/namespace"
	"go.etcd.io/etcd/client/v3/ordering"
)

var prefix = fmt.Sprintf("go-clientv3/%d/", time.Now().UnixNano())

func check(holds bool, got any) {
	if !holds {
		panic(fmt.Sprintf("got %v", got))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func keys(ctx context.Context, c *clientv3.Client) {
	for _, name := range []string{"b", "a", "c"} {
		must(c.Put(ctx, prefix+"kv/"+name, name))
	}
	answer := must(c.Get(ctx, prefix+"kv/", clientv3.WithPrefix(), clientv3.WithLimit(2),
		clientv3.WithSort(clientv3.SortByModRevision, clientv3.SortDescend)))
	check(answer.Count == 3 && answer.More && string(answer.Kvs[0].Value) == "c", answer)
	last := must(c.Get(ctx, prefix+"kv/", clientv3.WithLastRev()...))
	check(string(last.Kvs[0].Value) == "c", last)
	_, err := c.Get(ctx, prefix+"kv/a", clientv3.WithRev(1<<40))
	check(errors.Is(err, rpctypes.ErrFutureRev), err)
	_, err = c.Put(ctx, prefix+"kv/a", "x", clientv3.WithLease(12345))
	check(errors.Is(err, rpctypes.ErrLeaseNotFound), err)
	deleted := must(c.Delete(ctx, prefix+"kv/", clientv3.WithPrefix(), clientv3.WithPrevKV()))
	check(deleted.Deleted == 3 && len(deleted.PrevKvs) == 3, deleted)
}

func txn(ctx context.Context, c *clientv3.Client) {
	key := prefix + "txn"
	create := func() *clientv3.TxnResponse {
		return must(c.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, "1")).Else(clientv3.OpGet(key)).Commit())
	}
	first := create()
	check(first.Succeeded && first.Responses[0].GetResponsePut().Header.Revision == first.Header.Revision, first)
	second := create()
	check(!second.Succeeded && string(second.Responses[0].GetResponseRange().Kvs[0].Value) == "1", second)
}

func watch(ctx context.Context, c *clientv3.Client) {
	key := prefix + "watch"
	events := c.Watch(clientv3.WithRequireLeader(ctx), key, clientv3.WithPrevKV(), clientv3.WithCreatedNotify())
	created := <-events
	check(created.Created, created)
	revision := must(c.Put(ctx, key, "1")).Header.Revision
	must(c.Delete(ctx, key))
	put, deletion := <-events, <-events
	check(put.Events[0].IsCreate() && put.Events[0].Kv.ModRevision == revision, put)
	check(string(deletion.Events[0].PrevKv.Value) == "1", deletion)
	past := <-c.Watch(ctx, key, clientv3.WithRev(revision))
	check(past.Events[0].Kv.ModRevision == revision, past)

	quiet := clientv3.WithRequireLeader(ctx)
	progress := c.Watch(quiet, prefix+"quiet", clientv3.WithCreatedNotify())
	<-progress
	if err := c.RequestProgress(quiet); err != nil {
		panic(err)
	}
	notified := <-progress
	check(notified.IsProgressNotify(), notified)
}

func lease(ctx context.Context, c *clientv3.Client) {
	granted := must(c.Grant(ctx, 5))
	must(c.Put(ctx, prefix+"lease", "1", clientv3.WithLease(granted.ID)))
	alive := must(c.KeepAlive(ctx, granted.ID))
	answer := <-alive
	check(answer.TTL == 5, answer)
	left := must(c.TimeToLive(ctx, granted.ID, clientv3.WithAttachedKeys()))
	check(left.GrantedTTL == 5 && len(left.Keys) == 1, left)
	must(c.Revoke(ctx, granted.ID))
	gone := must(c.Get(ctx, prefix+"lease"))
	check(gone.Count == 0, gone)
	_, err := c.KeepAliveOnce(ctx, granted.ID)
	check(errors.Is(err, rpctypes.ErrLeaseNotFound), err)
}

func mutex(ctx context.Context, c *clientv3.Client) {
	first := must(concurrency.NewSession(c, concurrency.WithTTL(5)))
	second := must(concurrency.NewSession(c, concurrency.WithTTL(5)))
	held := concurrency.NewMutex(first, prefix+"lock")
	waiting := concurrency.NewMutex(second, prefix+"lock")
	if err := held.Lock(ctx); err != nil {
		panic(err)
	}
	err := waiting.TryLock(ctx)
	check(errors.Is(err, concurrency.ErrLocked), err)
	got := make(chan error)
	go func() { got <- waiting.Lock(ctx) }()
	time.Sleep(20 * time.Millisecond)
	first.Close() // revokes the lease: the lock goes to who waits
	if err := <-got; err != nil {
		panic(err)
	}
	second.Close()
}

func election(ctx context.Context, c *clientv3.Client) {
	session := must(concurrency.NewSession(c, concurrency.WithTTL(5)))
	defer session.Close()
	office := concurrency.NewElection(session, prefix+"election")
	if err := office.Campaign(ctx, "one"); err != nil {
		panic(err)
	}
	observed := office.Observe(ctx)
	first := <-observed
	check(string(first.Kvs[0].Value) == "one", first)
	if err := office.Proclaim(ctx, "still one"); err != nil {
		panic(err)
	}
	second := <-observed
	check(string(second.Kvs[0].Value) == "still one", second)
	if err := office.Resign(ctx); err != nil {
		panic(err)
	}
	_, err := office.Leader(ctx)
	check(errors.Is(err, concurrency.ErrElectionNoLeader), err)
}

func stm(ctx context.Context, c *clientv3.Client) {
	key := prefix + "stm"
	must(c.Put(ctx, key, ""))
	done := make(chan error)
	for i := 0; i < 5; i++ {
		go func() {
			_, err := concurrency.NewSTM(c, func(s concurrency.STM) error {
				s.Put(key, s.Get(key)+"x")
				return nil
			})
			done <- err
		}()
	}
	for i := 0; i < 5; i++ {
		if err := <-done; err != nil {
			panic(err)
		}
	}
	answer := must(c.Get(ctx, key))
	check(string(answer.Kvs[0].Value) == "xxxxx", answer)
}

func mirrored(ctx context.Context, c *clientv3.Client) {
	for i := 0; i < 25; i++ {
		puts := make([]clientv3.Op, 99)
		for j := range puts {
			puts[j] = clientv3.OpPut(fmt.Sprintf("%smirror/%04d", prefix, i*99+j), "v")
		}
		must(c.Txn(ctx).Then(puts...).Commit())
	}
	syncer := mirror.NewSyncer(c, prefix+"mirror/", 0)
	answers, failed := syncer.SyncBase(ctx)
	count := 0
	for answer := range answers {
		count += len(answer.Kvs)
	}
	if err := <-failed; err != nil {
		panic(err)
	}
	check(count == 2475, count)
	updates := syncer.SyncUpdates(ctx)
	must(c.Put(ctx, prefix+"mirror/new", "v"))
	update := <-updates
	check(string(update.Events[0].Kv.Key) == prefix+"mirror/new", update)
}

func namespaced(ctx context.Context, c *clientv3.Client) {
	kv := namespace.NewKV(c.KV, prefix+"ns/")
	must(kv.Put(ctx, "a", "1"))
	inner := must(kv.Get(ctx, "", clientv3.WithPrefix()))
	check(string(inner.Kvs[0].Key) == "a", inner)
	outer := must(c.Get(ctx, prefix+"ns/a"))
	check(outer.Count == 1, outer)
	watcher := namespace.NewWatcher(c.Watcher, prefix+"ns/")
	event := <-watcher.Watch(ctx, "a", clientv3.WithRev(outer.Kvs[0].ModRevision))
	check(string(event.Events[0].Kv.Key) == "a", event)
}

func leased(ctx context.Context, c *clientv3.Client) {
	kv, closer, err := leasing.NewKV(c, prefix+"leasing/")
	if err != nil {
		panic(err)
	}
	defer closer()
	must(c.Put(ctx, prefix+"leased", "1"))
	for i := 0; i < 3; i++ {
		answer := must(kv.Get(ctx, prefix+"leased"))
		check(string(answer.Kvs[0].Value) == "1", answer)
	}
	must(kv.Put(ctx, prefix+"leased", "2"))
	answer := must(kv.Get(ctx, prefix+"leased"))
	check(string(answer.Kvs[0].Value) == "2", answer)
}

func ordered(ctx context.Context, c *clientv3.Client) {
	kv := ordering.NewKV(c.KV, func(clientv3.Op, clientv3.OpResponse, int64) error {
		return errors.New("an answer that is older than one before")
	})
	for i := 0; i < 20; i++ {
		must(c.Put(ctx, prefix+"ordered", "v"))
		must(kv.Get(ctx, prefix+"ordered", clientv3.WithSerializable()))
	}
}

func status(ctx context.Context, c *clientv3.Client) {
	answer := must(c.Status(ctx, c.Endpoints()[0]))
	check(answer.Leader != 0 && answer.DbSize > 0, answer)
	members := must(c.MemberList(ctx))
	check(len(members.Members) > 0, members)
	must(c.HashKV(ctx, c.Endpoints()[0], 0))
}

func run(name string, c *clientv3.Client, test func(context.Context, *clientv3.Client)) (ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Printf("FAILED %s: %v\n", name, reason)
			ok = false
		}
	}()
	test(ctx, c)
	fmt.Println("ok", name)
	return true
}

func main() {
	c := must(clientv3.New(clientv3.Config{Endpoints: []string{os.Args[1]}, DialTimeout: 5 * time.Second}))
	tests := []struct {
		name string
		test func(context.Context, *clientv3.Client)
	}{
		{"keys", keys}, {"txn", txn}, {"watch", watch}, {"lease", lease}, {"mutex", mutex},
		{"election", election}, {"stm", stm}, {"mirror", mirrored}, {"namespace", namespaced},
		{"leasing", leased}, {"ordering", ordered}, {"status", status},
	}
	failed := 0
	for _, each := range tests {
		if !run(each.name, c, each.test) {
			failed++
		}
	}
	must(c.Delete(context.Background(), prefix, clientv3.WithPrefix()))
	c.Close()
	if failed > 0 {
		os.Exit(1)
	}
}
