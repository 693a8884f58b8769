package main

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
)

// The functions, as their log groups name them.
const (
	chatFunction   = "chat-completions"
	modelsFunction = "models"
)

// followEvery is how often a followed log is asked for more, and settles how
// long CloudWatch may take to show a line that is older than one it has shown.
const (
	followEvery = 2 * time.Second
	settles     = 30 * time.Second
)

var logsCommand = command{
	name:  "logs",
	about: "Print what a function has logged. It holds no text of participants, experimenters or models.",
	setup: func(f *flag.FlagSet) func(context.Context, *session) error {
		since := f.String("since", "1h", "how far to go back: 30m, 12h, 7d, or a `time` such as 2026-11-24 or 2026-11-24T10:00:00Z")
		follow := f.Bool("follow", false, "go on printing until interrupted")
		failures := f.Bool("failures", false, "print only requests that failed")
		function := f.String("function", chatFunction, "`name` of the function: chat-completions or models")
		return func(ctx context.Context, s *session) error {
			from, err := parseSince(*since, s.now())
			if err != nil {
				return err
			}
			if *function != chatFunction && *function != modelsFunction {
				return usagef("--function is %s or %s", chatFunction, modelsFunction)
			}
			return s.printLogs(ctx, *function, from, *failures, *follow)
		}
	},
}

func (s *session) printLogs(ctx context.Context, function string, from time.Time, failures, follow bool) error {
	seen := map[string]time.Time{}
	for {
		for e, err := range s.events(ctx, function, from, s.now()) {
			if err != nil {
				return interrupted(ctx, err)
			}
			message := strings.TrimRight(aws.ToString(e.Message), "\n")
			id := aws.ToString(e.EventId)
			if l, request := parseLine(message); !seen[id].IsZero() || failures && (!request || l.outcome() != failed) {
				continue
			}
			seen[id] = time.UnixMilli(aws.ToInt64(e.Timestamp))
			fmt.Fprintln(s.stdout, message)
		}
		if !follow {
			return nil
		}
		// The next look goes back a little, since lines may arrive late.
		if next := s.now().Add(-settles); next.After(from) {
			from = next
		}
		for id, at := range seen {
			if at.Before(from) {
				delete(seen, id)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

// interrupted tells an error from the end that the user asked for.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// events are the log events of a function, oldest first.
func (s *session) events(ctx context.Context, function string, from, to time.Time) iter.Seq2[types.FilteredLogEvent, error] {
	return func(yield func(types.FilteredLogEvent, error) bool) {
		a, st, err := s.deployed(ctx)
		if err != nil {
			yield(types.FilteredLogEvent{}, err)
			return
		}
		pages := cloudwatchlogs.NewFilterLogEventsPaginator(cloudwatchlogs.NewFromConfig(a.cfg), &cloudwatchlogs.FilterLogEventsInput{
			LogGroupName: aws.String(st.logGroup(function)),
			StartTime:    aws.Int64(from.UnixMilli()), EndTime: aws.Int64(to.UnixMilli()),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(types.FilteredLogEvent{}, fmt.Errorf("log of %s: %w", function, err))
				return
			}
			for _, e := range page.Events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// requests are the lines about requests in a function's log.
func (s *session) requests(ctx context.Context, function string, from, to time.Time) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for e, err := range s.events(ctx, function, from, to) {
			if err != nil {
				yield(line{}, err)
				return
			}
			if l, ok := parseLine(aws.ToString(e.Message)); ok && !yield(l, nil) {
				return
			}
		}
	}
}

var days = regexp.MustCompile(`^([0-9]{1,4})d$`)

// parseSince reads a point in time: a duration before now, in which "7d" are
// seven days, or a date or time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if m := days.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("%q is no time: write 30m, 12h, 7d, 2026-11-24 or 2026-11-24T10:00:00Z", text)
}
