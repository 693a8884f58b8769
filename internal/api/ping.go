package api

import "time"

// A stream that has nothing to send is kept alive by comments, which clients
// pass over. The interval is the one that the HTML standard gives against
// proxies that drop silent connections:
// https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
//
// The first ping also sends the status, after which a failure can only be told
// as an event. So it comes as late as the shortest idle limits that are common
// by default allow, 60 s of nginx (proxy_read_timeout) and of Application Load
// Balancers: a minute after the request at most, something has been sent.
const (
	firstPing = 45 * time.Second
	pingEvery = 15 * time.Second
)

// ping breaks the silence. It does not where the request's deadline will have
// broken it before the next one.
func (s *stream) ping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || !s.deadline.IsZero() && time.Until(s.deadline) < pingEvery {
		return
	}
	s.open()
	_ = s.write([]byte(": ping\n\n")) // a failure ends the work
}

// stop ends the pings. One that is being written is waited for.
func (s *stream) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.silence.Stop()
}
