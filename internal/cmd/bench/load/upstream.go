package load

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/cmd/bench/batch"
)

// An upstream is the fake of Bedrock with a scenario's latencies and a quota.
type upstream struct {
	aws       *awstest.Server
	options   Options
	quota     *batch.Quota
	answered  atomic.Int64
	throttled atomic.Int64

	mu   sync.Mutex
	rand *rand.Rand
}

func newUpstream(aws *awstest.Server, o Options) *upstream {
	u := &upstream{aws: aws, options: o, rand: rand.New(rand.NewPCG(o.Seed, 0))} //nolint:gosec // a load that can be repeated
	if o.Quota > 0 {
		u.quota = batch.NewQuota(o.Quota)
	}
	aws.Handle(u.answer)
	return u
}

// answer answers one call of Converse.
func (u *upstream) answer(req awstest.Request) awstest.Reply {
	if u.answered.Load()%1000 == 999 {
		u.aws.Forget() // the requests, which would fill the memory
	}
	u.mu.Lock()
	unlucky := u.rand.Float64() < u.options.Throttle
	delay := u.options.Scenario.Latency(u.rand)
	u.mu.Unlock()
	if unlucky || !u.quota.Take(u.options.Scenario.Tokens()) {
		u.throttled.Add(1)
		return awstest.Throttled()
	}
	u.answered.Add(1)
	reply := awstest.Text("72")
	if bytes.Contains(req.Body, []byte(`"toolConfig"`)) {
		reply = awstest.ToolUse("submit_response", `{"value":72}`)
	}
	return reply.WithDelay(delay)
}
