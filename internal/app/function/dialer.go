package function

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	dialTimeout = 5 * time.Second // of a TCP connection, and of a TLS handshake
	// unackedTime is how long a peer may leave unacknowledged what was sent to it.
	unackedTime = 20 * time.Second
	// readyFor is how long a connection that was opened ahead is trusted: servers
	// close connections on which nothing is asked, and an environment may be
	// frozen between its INIT and its first request.
	readyFor = 20 * time.Second
)

// A Dialer opens connections. Those opened ahead of time are handed out first,
// so that the first request need not wait for a TLS handshake, which takes
// longer than anything else in a cold start of a small function.
type Dialer struct {
	net   net.Dialer
	tls   *tls.Config
	proxy func(*http.Request) (*url.URL, error) // nil for none

	mu    sync.Mutex
	ready map[string]readyConn // by host:port
}

type readyConn struct {
	net.Conn
	opened time.Time
}

// NewDialer returns a Dialer. proxy says what stands between, and nil that nothing
// does; nil roots are the system's.
func NewDialer(proxy func(*http.Request) (*url.URL, error), roots *x509.CertPool) *Dialer {
	return &Dialer{
		net:   net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Control: giveUpAfter(unackedTime)},
		tls:   &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, RootCAs: roots},
		proxy: proxy,
		ready: map[string]readyConn{},
	}
}

// Client returns an HTTP client over these connections. It has no time limit of
// its own: every request's context has one.
func (d *Dialer) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:               d.proxy,
		DialContext:         d.dial,
		DialTLSContext:      d.dialTLS,
		TLSClientConfig:     d.tls,
		TLSHandshakeTimeout: dialTimeout,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64,
		WriteBufferSize:     32 << 10, // for a request without images to leave in one piece
		IdleConnTimeout:     5 * time.Minute,
	}}
}

// Open opens the connection that the first request to u will use, unless a
// proxy stands between.
func (d *Dialer) Open(ctx context.Context, u *url.URL) error {
	if d.proxy != nil {
		if proxy, err := d.proxy(&http.Request{URL: u}); err != nil || proxy != nil {
			return err
		}
	}
	return d.open(ctx, HostPort(u), u.Scheme == "https")
}

// HostPort is what a connection to u leads to.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = u.Scheme // net.Dial knows both by name
	}
	return canonical(net.JoinHostPort(u.Hostname(), port))
}

// open opens a connection now and keeps it for the next request to addr.
func (d *Dialer) open(ctx context.Context, addr string, secure bool) error {
	dial := d.net.DialContext
	if secure {
		dial = d.handshake
	}
	conn, err := dial(ctx, "tcp", canonical(addr))
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.ready[canonical(addr)]; ok {
		_ = old.Close()
	}
	// Without a monotonic reading, so that time spent frozen counts.
	d.ready[canonical(addr)] = readyConn{conn, time.Now().Round(0)}
	return nil
}

// take returns the connection opened ahead for addr if it is still fresh.
func (d *Dialer) take(addr string) net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, ok := d.ready[canonical(addr)]
	if !ok {
		return nil
	}
	delete(d.ready, canonical(addr))
	if time.Now().Round(0).Sub(conn.opened) > readyFor {
		_ = conn.Close()
		return nil
	}
	return conn.Conn
}

func (d *Dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if conn := d.take(addr); conn != nil {
		return conn, nil
	}
	return d.net.DialContext(ctx, network, addr)
}

func (d *Dialer) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	if conn := d.take(addr); conn != nil {
		return conn, nil
	}
	return d.handshake(ctx, network, addr)
}

func (d *Dialer) handshake(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	secure := tls.Dialer{NetDialer: &d.net, Config: d.tls}
	return secure.DialContext(ctx, network, addr)
}

// canonical names ports by number, as http.Transport does when it dials.
func canonical(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	switch port {
	case "http":
		port = "80"
	case "https":
		port = "443"
	}
	return net.JoinHostPort(host, port)
}
