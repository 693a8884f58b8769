package app_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/lambdatest"
)

// TestBadSettings starts functions with settings that are wrong: all of them
// are named at once, and callers get an error in the API's form.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	d := deploy(t, "agent=bedrok:x,default=baseline:random,far=bedrock:global.amazon.nova-2-lite-v1:0,odd=external:m?colour=red,lost=baseline:random?fallback=nobody",
		"API_KEY_SECRET=", "EXTERNAL_BASE_URL=http://example.org/v1", "REQUEST_TIMEOUT_SECONDS=5", "TOOL_CHOICE=maybe", "MAX_REASKS=9", "LOG_LEVEL=loud")
	names := []string{"agent", "default", "global", "colour", "nobody", "API_KEY_SECRET", "EXTERNAL_BASE_URL", "REQUEST_TIMEOUT_SECONDS", "TOOL_CHOICE", "MAX_REASKS", "LOG_LEVEL"}
	d.post(t, request(t, "rating")).failure(t)
	d.do(t, http.MethodGet, "/models", nil).failure(t)
	for _, f := range []*lambdatest.Function{d.chat, d.models} {
		log := lines(f.Logs())
		for _, name := range names {
			if !strings.Contains(log, name) {
				t.Errorf("%s does not name %s: %s", f.Name, name, log)
			}
		}
		for _, i := range f.Invocations() {
			if i.InitDuration != 0 {
				t.Errorf("INIT of %s was passed", f.Name)
			}
		}
	}
}

// TestNoSettings starts functions without any.
func TestNoSettings(t *testing.T) {
	t.Parallel()
	d := deploy(t, "")
	d.chat.Env, d.models.Env = nil, nil
	d.post(t, request(t, "rating")).failure(t)
	for _, name := range []string{"MODELS", "API_KEY_SECRET"} {
		if d.linesWith(name) == 0 {
			t.Errorf("the log does not name %s: %s", name, lines(d.logs()))
		}
	}
}

// A relay passes connections on, and counts them.
type relay struct {
	addr   string
	opened atomic.Int32
}

// newRelay starts a relay to an address of the form 127.0.0.1:port.
func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{addr: l.Addr().String()}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			r.opened.Add(1)
			go pass(ctx, from, to)
		}
	}()
	return r
}

// pass copies both ways until one side ends or ctx does.
func pass(ctx context.Context, from net.Conn, to string) {
	defer func() { _ = from.Close() }()
	var d net.Dialer
	onward, err := d.DialContext(ctx, "tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = onward.Close() }()
	stop := context.AfterFunc(ctx, func() { _, _ = from.Close(), onward.Close() })
	defer stop()
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, onward}, {onward, from}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			done <- struct{}{}
		}()
	}
	<-done
}

// TestInit checks what is done before the first request, in the clear and with
// TLS: the key is fetched and a connection to the upstream opened, over which
// the first request then goes.
func TestInit(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) *awstest.Server{"plain": awstest.NewServer, "TLS": awstest.NewTLSServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets, bedrock := start(t), start(t)
			scheme, addr, _ := strings.Cut(bedrock.URL, "://")
			r := newRelay(t, addr)
			// The general variable leads nowhere: those of the services win.
			d := deployOn(t, secrets, newUpstream(t), "agent=bedrock:us.amazon.nova-2-lite-v1:0",
				"AWS_ENDPOINT_URL=http://127.0.0.1:9", "AWS_ENDPOINT_URL_SECRETS_MANAGER="+secrets.URL, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME="+scheme+"://"+r.addr)
			const slow = 600 * time.Millisecond
			secrets.SecretDelay(slow)
			d.post(t, []byte(`{`)).failed(t, 400, "invalid_json", "")
			if n := secrets.SecretCalls(); n != 1 {
				t.Errorf("%d calls of Secrets Manager", n)
			}
			if n := r.opened.Load(); n != 1 || len(bedrock.Requests()) != 0 {
				t.Errorf("%d connections to Bedrock, requests %v", n, bedrock.Requests())
			}
			first := d.chat.Invocations()[0]
			if first.InitDuration < slow || first.Duration >= slow {
				t.Errorf("INIT took %v and the request %v: the key was not fetched during INIT", first.InitDuration, first.Duration)
			}
			bedrock.Reply(awstest.ToolUse("submit_response", answered))
			for range 3 {
				d.post(t, request(t, "rating")).completion(t)
			}
			if n := r.opened.Load(); n != 1 || len(bedrock.Requests()) != 3 || secrets.SecretCalls() != 1 {
				t.Errorf("%d connections, %d requests, %d calls of Secrets Manager", n, len(bedrock.Requests()), secrets.SecretCalls())
			}
			if len(secrets.Requests()) != 0 || bedrock.SecretCalls() != 0 {
				t.Error("the endpoints of the services were mixed up")
			}
		})
	}
}

// TestInitOfAnExternalModel is the same for an external model, whose key is
// fetched at the same time as that of the callers.
func TestInitOfAnExternalModel(t *testing.T) {
	t.Parallel()
	for name, fakes := range map[string]func(*testing.T) (*awstest.Server, *upstream){
		"plain":          func(t *testing.T) (*awstest.Server, *upstream) { return awstest.NewServer(t), newUpstream(t) },
		"TLS and HTTP/2": func(t *testing.T) (*awstest.Server, *upstream) { return awstest.NewTLSServer(t), newTLSUpstream(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets, up := fakes(t)
			s := &stage{deployment: deployOn(t, secrets, up, "agent="+both[1].entry), backend: both[1]}
			s.serve(s.deployment)
			const slow = 2 * time.Second
			secrets.SecretDelay(slow)
			s.post(t, []byte(`{`)).failed(t, 400, "invalid_json", "")
			if n := secrets.SecretCalls(); n != 2 {
				t.Errorf("%d calls of Secrets Manager for two keys", n)
			}
			if up.opened() != 1 || len(up.all()) != 0 {
				t.Errorf("%d connections, %d requests", up.opened(), len(up.all()))
			}
			first := s.chat.Invocations()[0]
			if first.InitDuration < slow || first.InitDuration >= 2*slow || first.Duration >= slow {
				t.Errorf("INIT took %v and the request %v: want both keys fetched at once during INIT", first.InitDuration, first.Duration)
			}
			for range 3 {
				s.reached(t, s.ask(t, request(t, "rating"), submits(answered)), 1, "")
			}
			if up.opened() != 1 || secrets.SecretCalls() != 2 {
				t.Errorf("%d connections, %d calls of Secrets Manager", up.opened(), secrets.SecretCalls())
			}
		})
	}
}

// TestInitWithoutUpstream checks that an upstream that is down during INIT is
// no reason to fail.
func TestInitWithoutUpstream(t *testing.T) {
	t.Parallel()
	d := deploy(t, "agent=external:large-model,null=baseline:random", "EXTERNAL_BASE_URL=http://127.0.0.1:9/v1", "REQUEST_TIMEOUT_SECONDS=10")
	d.gateway.Age = age
	d.post(t, with(t, request(t, "rating"), `"model":"null"`)).completion(t)
	// Where the time ends in the middle of an attempt it is a timeout.
	if e := d.post(t, request(t, "rating")).failure(t); e.code != "upstream_error" && e.code != "timeout" {
		t.Errorf("%+v", e)
	}
	d.noLine(t, "127.0.0.1")
}

// TestModelsNeedsNobody checks that the models function opens no connection but
// the one to its key.
func TestModelsNeedsNobody(t *testing.T) {
	t.Parallel()
	d := deploy(t, several)
	for range 3 {
		if a := d.do(t, http.MethodGet, "/models", nil); a.status != 200 {
			t.Errorf("%d", a.status)
		}
	}
	if n := d.aws.SecretCalls(); n != 1 || d.upstream.opened() != 0 {
		t.Errorf("%d calls of Secrets Manager, %d connections to the upstream", n, d.upstream.opened())
	}
}
