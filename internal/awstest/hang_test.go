package awstest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

func TestHangEndsWithContext(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	until, end := context.WithCancel(t.Context())
	arrived := make(chan struct{})
	srv.Handle(func(awstest.Request) awstest.Reply {
		close(arrived)
		return awstest.Hang(until)
	})
	failed := make(chan error, 1)
	go func() {
		_, err := client(srv).Converse(t.Context(), say(nova, "hi"))
		failed <- err
	}()
	<-arrived
	select {
	case err := <-failed:
		t.Fatalf("answered while hanging: %v", err)
	default:
	}
	end()
	if err := <-failed; err == nil {
		t.Error("no error after the hang")
	}
}

func TestHangEndsWithClient(t *testing.T) {
	t.Parallel()
	srv := awstest.NewServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	srv.Handle(func(awstest.Request) awstest.Reply {
		cancel()
		return awstest.Hang(context.Background())
	})
	if _, err := client(srv).Converse(ctx, say(nova, "hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// Close does not wait for what hangs.
func TestCloseEndsHangs(t *testing.T) {
	t.Parallel()
	srv, err := awstest.Start()
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan struct{}, 2)
	srv.Handle(func(r awstest.Request) awstest.Reply {
		arrived <- struct{}{}
		if r.ModelID == nova {
			return awstest.Hang(context.Background())
		}
		return awstest.Text("late").WithDelay(time.Hour)
	})
	var wg sync.WaitGroup
	for _, id := range []string{nova, claude} {
		wg.Go(func() {
			if _, err := client(srv).Converse(t.Context(), say(id, "hi")); err == nil {
				t.Errorf("%s was answered", id)
			}
		})
	}
	<-arrived
	<-arrived
	srv.Close()
	srv.Close()
	wg.Wait()
}

func TestDelay(t *testing.T) {
	t.Parallel()
	const delay = 30 * time.Millisecond
	srv := awstest.NewServer(t)
	srv.Reply(awstest.Text("late").WithDelay(delay))
	start := time.Now()
	converse(t, srv, say(nova, "hi"))
	if took := time.Since(start); took < delay {
		t.Errorf("took %v", took)
	}
}
