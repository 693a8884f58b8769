// Package load plays a batch of HyperStudy rooms against the compiled functions:
// processes behind a front end like API Gateway's, whose model is a fake of
// Bedrock with the batch's latencies, a quota and a share of throttled calls.
package load

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"hyperstudy-endpoint/internal/awstest"
	"hyperstudy-endpoint/internal/cmd/bench/batch"
	"hyperstudy-endpoint/internal/lambdatest"
)

// What the functions are configured with.
const (
	model    = "us.amazon.nova-2-lite-v1:0"
	secretID = "load"
	apiKey   = "load-key-0123456789"
	memoryMB = 256
)

// Options say what is played.
type Options struct {
	Scenario batch.Scenario
	Quota    float64 // tokens a minute; 0 is none
	Throttle float64 // share of the model's calls that are throttled besides
	Speed    float64 // how many times faster than life agents and model are; the time limit is not
	Seed     uint64
	JSON     bool
}

// Run plays what the arguments say and writes what became of it to w.
func Run(ctx context.Context, args []string, w io.Writer) error {
	o, err := parse(args, w)
	if err != nil {
		return err
	}
	r, err := Play(ctx, o)
	if err != nil {
		return err
	}
	if o.JSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	return r.write(w)
}

func parse(args []string, w io.Writer) (o Options, err error) {
	flags := flag.NewFlagSet("bench load", flag.ContinueOnError)
	flags.SetOutput(w)
	var list []string
	for _, s := range batch.Scenarios() {
		list = append(list, "  "+s.Name+"  "+s.About)
	}
	scenarios := strings.Join(list, "\n")
	name := flags.String("scenario", "B", "which batch:\n"+scenarios+"\n")
	rooms := flags.Int("rooms", 0, "rooms, in place of the scenario's")
	states := flags.Int("states", 0, "screens of a room, in place of the scenario's")
	flags.Float64Var(&o.Quota, "quota", 0, "the model's quota in `tokens` a minute (0: none)")
	flags.Float64Var(&o.Throttle, "throttle", 0, "share of the model's calls that are throttled, from 0 to 1")
	flags.Float64Var(&o.Speed, "speed", 1, "how many times faster than life agents and model are")
	flags.Uint64Var(&o.Seed, "seed", 1, "of everything that is drawn")
	flags.BoolVar(&o.JSON, "json", false, "write JSON")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	s, ok := batch.Find(*name)
	if !ok {
		return o, fmt.Errorf("load: there is no scenario %q; there are\n%s", *name, scenarios)
	}
	if *rooms > 0 {
		s.Rooms = *rooms
	}
	if *states > 0 {
		s.States = *states
	}
	if *rooms < 0 || *states < 0 || !(o.Speed > 0) || !(o.Quota >= 0) || !(o.Throttle >= 0 && o.Throttle <= 1) || flags.NArg() > 0 {
		return o, errors.New("load: -speed must be positive, -quota, -rooms and -states not negative, -throttle from 0 to 1, and nothing else follows")
	}
	o.Scenario = s.Faster(o.Speed)
	return o, nil
}

// Play plays one batch.
func Play(ctx context.Context, o Options) (*Report, error) {
	e, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	defer e.stop()
	result := batch.Play(ctx, o.Scenario, o.Seed, e.ask)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e.report(o, result), nil
}

// An endpoint is the chat function with its front end, and the fake behind it.
type endpoint struct {
	options  Options
	upstream *upstream
	function *lambdatest.Function
	server   *http.Server
	url      string
	client   *http.Client
	bodies   bodies
	failures counts // of requests
}

func start(ctx context.Context, o Options) (*endpoint, error) {
	aws, err := awstest.Start() //nolint:contextcheck // it is stopped by Close
	if err != nil {
		return nil, err
	}
	aws.SetSecret(secretID, apiKey)
	e := &endpoint{options: o, upstream: newUpstream(aws, o), bodies: newBodies(o.Scenario)}
	binary, err := lambdatest.Compile(ctx, "./functions/chat-completions")
	if err != nil {
		aws.Close()
		return nil, err
	}
	e.function = &lambdatest.Function{
		Path: binary, Name: "chat-completions", MemoryMB: memoryMB, Timeout: 300 * time.Second, InitTimeout: time.Minute,
		Env: slices.Concat(lambdatest.GoSettings, aws.Env(), []string{"MODELS=m=bedrock:" + model, "API_KEY_SECRET=" + secretID}),
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		aws.Close()
		return nil, err
	}
	gateway := &lambdatest.Gateway{Routes: []lambdatest.Route{
		{Method: http.MethodPost, Path: "/chat/completions", Function: e.function, Mode: lambdatest.Stream, Timeout: 300 * time.Second},
	}}
	e.server = &http.Server{Handler: gateway, ReadHeaderTimeout: 10 * time.Second}
	e.url = "http://" + listener.Addr().String() + "/v1/chat/completions"
	e.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}, Timeout: time.Minute}
	go func() { _ = e.server.Serve(listener) }() // until stop
	return e, nil
}

func (e *endpoint) stop() {
	e.function.Close()
	_ = e.server.Close()
	e.upstream.aws.Close()
}
