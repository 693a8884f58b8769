// Package batch plays the batches of rooms that HyperStudy starts: agents that
// look at a screen, think, decide, chat and wait for each other. Whoever asks
// for the decisions is up to the caller: a deployed function, or a model of one
// in virtual time.
package batch

import (
	"math"
	"math/rand/v2"
	"time"
)

// A Scenario is a batch of rooms, and the model that its agents ask.
type Scenario struct {
	Name  string // a letter
	About string

	Rooms   int
	Agents  int           // in a room
	Stagger time.Duration // between the starts of two rooms
	States  int           // screens with a question
	Chats   int           // messages an agent answers on each screen
	Waves   []int         // stages of cognition before a decision: how many calls each makes at once

	Median time.Duration // time the model takes for a call; it is distributed log-normally
	P95    time.Duration
	In     int // tokens of a call
	Out    int

	Picture bool // on each screen

	speed float64 // how many times faster than life all of this is; 0 is 1
}

// Faster is the same batch with agents and a model that are so many times
// faster, and so has as many calls under way at once. Time limits stay.
func (s Scenario) Faster(times float64) Scenario {
	s.speed = times
	return s
}

// scaled is how long something takes in the scenario.
func (s Scenario) scaled(d time.Duration) time.Duration {
	if s.speed == 0 {
		return d
	}
	return time.Duration(float64(d) / s.speed)
}

// What is common to all batches: how long an agent looks at a screen before it
// acts, how long a screen stays once all have answered, how long a room may
// take, and after how many failures in a row an agent is stopped.
const (
	paceLeast, paceMost = 500 * time.Millisecond, 3 * time.Second
	dwell               = 8 * time.Second
	roomLimit           = 30 * time.Minute
	failuresInARow      = 5
)

// defaultStagger is what HyperStudy leaves between the starts of two rooms if
// nothing else is set.
const defaultStagger = 2 * time.Second

// Scenarios are batches from a first try to the largest that can be started.
func Scenarios() []Scenario {
	fast := Scenario{Agents: 2, Stagger: defaultStagger, Median: 1600 * time.Millisecond, P95: 4 * time.Second, In: 2400, Out: 60}
	with := func(name, about string, change func(*Scenario)) Scenario {
		s := fast
		s.Name, s.About = name, about
		change(&s)
		return s
	}
	return []Scenario{
		with("A", "a check before the study: 8 requests at once", func(s *Scenario) { s.Rooms, s.Agents, s.States, s.In, s.Out = 1, 8, 1, 100, 25 }),
		with("B", "a pilot: 3 rooms of 2, 15 questions", func(s *Scenario) { s.Rooms, s.States = 3, 15 }),
		with("C", "20 rooms of 2, 25 questions, chat on each screen", func(s *Scenario) { s.Rooms, s.States, s.Chats = 20, 25, 3 }),
		with("D", "100 rooms of 2, 30 questions", func(s *Scenario) { s.Rooms, s.States = 100, 30 }),
		with("E", "100 rooms of 4, 30 questions, chat on each screen", func(s *Scenario) { s.Rooms, s.Agents, s.States, s.Chats = 100, 4, 30, 3 }),
		with("F", "as D with a reasoning model", func(s *Scenario) {
			s.Rooms, s.States, s.Median, s.P95, s.Out = 100, 30, 12*time.Second, 30*time.Second, 700
		}),
		with("G", "as D with stages of cognition", func(s *Scenario) { s.Rooms, s.States, s.Waves = 100, 30, []int{2, 3} }),
		with("H", "100 rooms of 4, a reasoning model, stages of cognition", func(s *Scenario) {
			s.Rooms, s.Agents, s.States, s.Waves, s.Median, s.P95, s.Out = 100, 4, 20, []int{9}, 12*time.Second, 30*time.Second, 500
		}),
		with("I", "100 rooms of 4 that all start at once, 10 questions", func(s *Scenario) { s.Rooms, s.Agents, s.States, s.Stagger = 100, 4, 10, 0 }),
		with("J", "as D with a picture on each screen", func(s *Scenario) { s.Rooms, s.States, s.In, s.Picture = 100, 30, 4000, true }),
	}
}

// Find returns the scenario of a name.
func Find(name string) (Scenario, bool) {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

// Calls is how many calls the whole batch makes if every one is answered.
func (s Scenario) Calls() int {
	perState := 1 + s.Chats
	for _, n := range s.Waves {
		perState += n
	}
	return s.Rooms * s.Agents * s.States * perState
}

// Tokens are those of one call.
func (s Scenario) Tokens() int { return s.In + s.Out }

// Latency draws how long the model takes for a call.
func (s Scenario) Latency(r *rand.Rand) time.Duration {
	const z95 = 1.6449 // the 95th percentile of the standard normal distribution
	sigma := math.Log(float64(s.P95)/float64(s.Median)) / z95
	return s.scaled(time.Duration(float64(s.Median) * math.Exp(sigma*r.NormFloat64())))
}
