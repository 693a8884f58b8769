package bedrock

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"hyperstudy-endpoint/internal/openai"
)

const (
	fetchTime    = 5 * time.Second // for an image, redirects included
	maxRedirects = 3
)

var (
	errNotPublic = errors.New("the address is not public")
	errNotHTTPS  = errors.New("the URL is not https")
	errRedirects = errors.New("too many redirects")
)

// A fetcher downloads images whose URL somebody else chose, which must not reach
// what only this function can reach.
type fetcher struct {
	client *http.Client
	cache  imageCache
}

// newFetcher returns a fetcher over client, or over one that connects to public
// addresses only if it is nil.
func newFetcher(client *http.Client) *fetcher {
	if client == nil {
		client = &http.Client{Transport: guardedTransport(publicAddress)}
	}
	c := *client
	c.CheckRedirect = checkRedirect
	c.Jar = nil
	return &fetcher{client: &c}
}

// guardedTransport connects only where allowed says so. The address is checked
// when it is dialled, after the name was resolved: a name that resolves to
// another address the second time gains nothing.
func guardedTransport(allowed func(netip.Addr) bool) *http.Transport {
	dialer := &net.Dialer{
		Timeout: fetchTime,
		Control: func(_, address string, _ syscall.RawConn) error {
			host, err := netip.ParseAddrPort(address)
			if err != nil || !allowed(host.Addr()) {
				return errNotPublic
			}
			return nil
		},
	}
	const maxHeader = 64 << 10
	return &http.Transport{
		DialContext:            dialer.DialContext, // no proxy: it would do the dialling
		TLSHandshakeTimeout:    fetchTime,
		ResponseHeaderTimeout:  fetchTime,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // so that the size limit is that of the image
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return errRedirects
	case req.URL.Scheme != "https":
		return errNotHTTPS
	}
	return nil
}

// fetch downloads an image and returns it with the type the server gave. It
// reads no more than an image may have, whatever the server announces.
// The next attempts within a minute get the same bytes.
func (f *fetcher) fetch(ctx context.Context, address, param string) (data []byte, mediaType string, err error) {
	if data, mediaType, ok := f.cache.get(address); ok {
		return data, mediaType, nil
	}
	data, mediaType, err = f.download(ctx, address, param)
	if err == nil {
		f.cache.put(address, data, mediaType)
	}
	return data, mediaType, err
}

func (f *fetcher) download(ctx context.Context, address, param string) (data []byte, mediaType string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, "", openai.InvalidValue(param, "'%s' is not a valid https URL without user name.", param)
	}
	fetchCtx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(fetchCtx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, "", openai.InvalidValue(param, "'%s' is not a valid https URL.", param)
	}
	req.Header.Set("Accept", "image/png, image/jpeg, image/gif, image/webp")
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, "", fetchFault(ctx, err, param)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, "", openai.InvalidValue(param, "The image in '%s' could not be downloaded: its server answered with status %d.", param, resp.StatusCode)
	}
	if resp.ContentLength > maxImageBytes {
		return nil, "", tooManyBytes(param)
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxImageBytes+1))
	if err != nil {
		return nil, "", fetchFault(ctx, err, param)
	}
	return data, resp.Header.Get("Content-Type"), nil
}

// fetchFault words why an image could not be downloaded, without its URL.
func fetchFault(ctx context.Context, err error, param string) error {
	if ctx.Err() != nil {
		return fault(ctx, err)
	}
	var (
		e     *openai.Error
		reset net.Error
	)
	switch {
	case errors.Is(err, errNotPublic):
		e = openai.InvalidValue(param, "The image in '%s' could not be downloaded: only servers at public addresses are allowed. Send it as a data URL.", param)
	case errors.Is(err, errNotHTTPS):
		e = openai.InvalidValue(param, "The image in '%s' could not be downloaded: its server redirects to a URL that is not https.", param)
	case errors.Is(err, errRedirects):
		e = openai.InvalidValue(param, "The image in '%s' could not be downloaded: its server redirects more than %d times.", param, maxRedirects)
	case errors.As(err, &reset) && reset.Timeout():
		e = openai.InvalidValue(param, "The image in '%s' could not be downloaded within %d seconds. Send it as a data URL.", param, int(fetchTime.Seconds()))
	default:
		e = openai.InvalidValue(param, "The image in '%s' could not be downloaded. Check that its URL is reachable from the internet, or send it as a data URL.", param)
	}
	e.Err = err
	return e
}
