package app_test

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"hyperstudy-endpoint/internal/awstest"
)

// answering makes an upstream answer everything with a text.
func answering(u *upstream, text string) *upstream {
	u.handle(func(sent) (reply, tokens) { return reply{message: message(text)}, tokens{1, 1} })
	return u
}

// TestSeveralServices serves Bedrock and four external LLMs side by side: each
// has its own address and key, and none sees another's.
func TestSeveralServices(t *testing.T) {
	t.Parallel()
	aws, openAI, vllm, keyless := awstest.NewServer(t), answering(newUpstream(t), "from OpenAI"), answering(newUpstream(t), "from vLLM"), answering(newUpstream(t), "from Ollama")
	aws.Reply(awstest.Text("from Bedrock"))
	vllm.setKey("sk-vllm-1")
	keyless.setKey("")
	arn := aws.SetSecret("lab/vllm", "sk-vllm-1")
	d := deployOn(t, aws, openAI, "nova=bedrock:us.amazon.nova-2-lite-v1:0,gpt=external:gpt-5-mini,"+
		"qwen=external:Qwen/Qwen3-8B?base_url="+vllm.URL+"&key_secret="+arn+",twin=external:twin?key_secret="+arn+"&base_url="+vllm.URL+","+
		"llama=external:llama3:8b?max_tokens=50&base_url="+keyless.URL)
	const slow = 2 * time.Second // two fetches in a row would take twice as long, however busy the machine
	aws.SecretDelay(slow)
	ask := func(alias string) answer {
		return d.post(t, with(t, request(t, "connection-test"), `"model":"`+alias+`"`))
	}
	for alias, want := range map[string]string{"nova": "Bedrock", "gpt": "OpenAI", "qwen": "vLLM", "twin": "vLLM", "llama": "Ollama"} {
		c := ask(alias).completion(t)
		if got := c.text(t); got != "from "+want {
			t.Errorf("%s answered %q", alias, got)
		}
	}
	d.nothingRefused(t)
	if first := d.chat.Invocations()[0]; aws.SecretCalls() != 3 || first.InitDuration >= 2*slow {
		t.Errorf("%d calls of Secrets Manager for three secrets, INIT took %v", aws.SecretCalls(), first.InitDuration)
	}
	for name, u := range map[string]*upstream{"OpenAI": openAI, "vLLM": vllm, "Ollama": keyless} {
		if u.opened() != 1 {
			t.Errorf("%d connections to %s", u.opened(), name)
		}
	}
	aws.SecretDelay(0)
	vllm.setKey("sk-vllm-2") // its key is replaced, and the others are not asked for again
	aws.SetSecret("lab/vllm", "sk-vllm-2")
	ask("twin").completion(t)
	ask("gpt").completion(t)
	if aws.SecretCalls() != 4 {
		t.Errorf("%d calls of Secrets Manager after a rotation", aws.SecretCalls())
	}
	vllm.setKey("sk-vllm-3")
	if f := ask("qwen").failed(t, 502, "model_access_denied", ""); !strings.Contains(f.message, "external LLM behind qwen") || !strings.Contains(f.message, "key_secret of qwen") {
		t.Errorf("the message does not say which: %s", f.message)
	}
	d.noLine(t, "sk-", "127.0.0.1", arn)
}

// TestServicesThatFail checks that faults name the alias, at INIT and later.
func TestServicesThatFail(t *testing.T) {
	t.Parallel()
	d := deploy(t, "gone=external:m?base_url=http://127.0.0.1:9/v1,lost=external:m?key_secret=lab/nobody", "REQUEST_TIMEOUT_SECONDS=10")
	d.gateway.Age = age
	for alias, want := range map[string]failure{
		"gone": {status: 502, code: "upstream_error", message: "base_url of gone in MODELS"},
		"lost": {status: 503, code: "service_unavailable", message: "key_secret of lost in MODELS"},
	} {
		f := d.post(t, with(t, request(t, "connection-test"), `"model":"`+alias+`"`)).failed(t, want.status, want.code, "")
		if !strings.Contains(f.message, want.message) || !strings.Contains(f.message, "behind "+alias) {
			t.Errorf("%s: %s", alias, f.message)
		}
	}
	for _, what := range []string{"connection to the external LLM behind gone", "key_secret of lost in MODELS"} {
		if d.linesWith(what, "WARN") != 1 {
			t.Errorf("no line says that %q failed: %s", what, lines(d.logs()))
		}
	}
	d.noLine(t, "127.0.0.1", "lab/nobody")
	bad := deploy(t, "a=external:m?base_url=http://10.0.0.1/v1,b=baseline:random?key_secret=s", "EXTERNAL_CA_PEM=nonsense")
	bad.post(t, request(t, "connection-test")).failure(t)
	for _, what := range []string{"base_url of a ", "key_secret are options of external models, but b ", "EXTERNAL_CA_PEM "} {
		if !strings.Contains(lines(bad.logs()), what) {
			t.Errorf("INIT does not name %q: %s", what, lines(bad.logs()))
		}
	}
}

// caOf is the certificate of a TLS upstream in PEM, which signs itself.
func caOf(u *upstream) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: u.http.Certificate().Raw}))
}

// TestPrivateAuthority calls an upstream whose certificate no public authority
// has signed.
func TestPrivateAuthority(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]func(string) string{
		"as it is": func(s string) string { return s },
		"escaped":  func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) },
		"blanks":   func(s string) string { return strings.ReplaceAll(s, "\n", " ") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := answering(newTLSUpstream(t), "hello")
			d := deployOn(t, awstest.NewServer(t), up, "agent=external:m", "EXTERNAL_CA_PEM="+form(caOf(up)))
			for range 2 {
				d.post(t, request(t, "connection-test")).completion(t)
			}
			if up.opened() != 1 {
				t.Errorf("%d connections", up.opened())
			}
		})
	}
	up := answering(newTLSUpstream(t), "hello")

	d := deployOn(t, awstest.NewServer(t), up, "agent=external:m")
	if f := d.post(t, request(t, "connection-test")).failed(t, 502, "upstream_error", ""); !strings.Contains(f.message, "EXTERNAL_CA_PEM") {
		t.Errorf("the message does not say what to do: %s", f.message)
	}
}

// A tunnel is a proxy for HTTPS that leads everywhere to one address.
type tunnel struct {
	*httptest.Server
	to string

	mu    sync.Mutex
	asked []string // the hosts that were asked for, with the proxy's password
}

func newTunnel(t *testing.T, to string) *tunnel {
	t.Helper()
	p := &tunnel{to: to}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization")+r.Header.Get("Authorization"))
	p.mu.Unlock()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		panic("no connection")
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	pass(context.WithoutCancel(r.Context()), conn, p.to)
}

// TestProxy reaches an upstream through the proxy of the standard variable. AWS
// and servers on this machine are reached directly.
func TestProxy(t *testing.T) {
	t.Parallel()
	up, near := answering(newTLSUpstream(t), "from afar"), answering(newUpstream(t), "from here")
	proxy := newTunnel(t, up.http.Listener.Addr().String())
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	through.User = url.UserPassword("lab", "proxy-password")
	// The certificate of test servers is for example.com; nobody looks that name up.
	d := deployOn(t, awstest.NewServer(t), near, "agent=external:m?key_secret="+upstreamSecret+"&base_url=https://example.com:8443/api/v1,near=external:m",
		"EXTERNAL_CA_PEM="+caOf(up), "HTTPS_PROXY="+through.String(), "HTTP_PROXY="+through.String())
	for alias, want := range map[string]string{"agent": "from afar", "near": "from here"} {
		for range 2 {
			c := d.post(t, with(t, request(t, "connection-test"), `"model":"`+alias+`"`)).completion(t)
			if got := c.text(t); got != want {
				t.Errorf("%s answered %q", alias, got)
			}
		}
	}
	proxy.mu.Lock()
	defer proxy.mu.Unlock()
	if want := "CONNECT example.com:8443 Basic bGFiOnByb3h5LXBhc3N3b3Jk"; len(proxy.asked) != 1 || proxy.asked[0] != want {
		t.Errorf("the proxy was asked for %q, want %q once", proxy.asked, want)
	}
	d.noLine(t, "proxy-password")
	d.nothingRefused(t)
}

// A proxy that cannot be reached is an error that names the service.
func TestProxyDown(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	d := deploy(t, "agent=external:m", "EXTERNAL_BASE_URL=https://llm.example.com/v1", "HTTPS_PROXY=http://lab:proxy-password@"+l.Addr().String(), "REQUEST_TIMEOUT_SECONDS=10")
	d.gateway.Age = age
	if f := d.post(t, request(t, "connection-test")).failed(t, 502, "upstream_error", ""); !strings.Contains(f.message, "behind agent") {
		t.Errorf("the message does not say which: %s", f.message)
	}
	d.noLine(t, "proxy-password", "llm.example.com")
}
