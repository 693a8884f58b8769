package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
)

var imageCost = Cost{Requests: 1, PromptTokens: 900, CompletionTokens: 150}

const (
	noImagesAdvice = "Use a model that sees pictures, or a study without them."
	// blindAdvice is for a picture that is taken and not seen, which is the
	// model's own: it is warned of and does not fail.
	blindAdvice = "Use a model that sees pictures: a study with them would be answered blindly."
)

func imageChecks(Options) []check {
	checks := []check{
		{Check: Check{ID: "image.inline", Group: "images", Title: "picture in the request",
			Requirement: "A picture on the screen comes as an image part with a data URL, and the decision is made with it."}, run: checkInline},
		{Check: Check{ID: "image.formats", Group: "images", Title: "JPEG and GIF",
			Requirement: "The formats of HyperStudy's media library that models know are taken."}, run: checkFormats},
		{Check: Check{ID: "image.several", Group: "images", Title: "several pictures",
			Requirement: "Several pictures in one request are taken, in their order."}, run: checkSeveral},
		{Check: Check{ID: "image.link", Group: "images", Title: "picture by link",
			Requirement: "A picture may come as an https link: it is taken, or refused with a message that says so."}, run: checkLink},
		{Check: Check{ID: "image.broken", Group: "images", Title: "broken picture",
			Requirement: "Whether a picture that nobody can read is refused is reported: an answer to it would be blind."}, run: checkBroken},
	}
	for i := range checks {
		checks[i].Cost = imageCost
	}
	checks[1].Cost = imageCost.times(2)
	return checks
}

// balls draws a picture of n balls in a row.
func balls(n int) image.Image {
	const side, radius = 80, 25
	m := image.NewPaletted(image.Rect(0, 0, side*n, side), color.Palette{color.White, color.RGBA{200, 30, 30, 255}})
	for x := range side * n {
		for y := range side {
			dx, dy := x%side-side/2, y-side/2
			if dx*dx+dy*dy < radius*radius {
				m.SetColorIndex(x, y, 1)
			}
		}
	}
	return m
}

// dataURL encodes a picture: format is png, jpeg or gif.
func dataURL(m image.Image, format string) string {
	var b bytes.Buffer
	var err error
	switch format {
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	default:
		err = png.Encode(&b, m)
	}
	if err != nil {
		panic("conformance: a picture of the checks cannot be encoded: " + err.Error())
	}
	return "data:image/" + format + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

const ballsScreen = "Screen: a question is waiting for your answer.\nComponent: multiplechoice\nQuestion: How many red balls does the picture show?\n"

var ballsTool = submitTool("multiplechoice", `{"type":"string","enum":["1","2","3","4","5"]}`)

// see asks about pictures; done is false if finding already tells the end.
func (s *session) see(ctx context.Context, question string, tool Tool, urls ...string) (value any, f finding, done bool) {
	d, x := s.decide(ctx, body{Messages: screen(question, urls...), Tools: []Tool{waitTool, tool}}, request{})
	switch {
	case x.err != nil:
		return nil, skipped("There was no answer: %s.", x.Error), true
	case x.declined():
		return nil, warned(noImagesAdvice, "A request with a picture is refused with %s.", x.outcome()), true
	case x.Status != http.StatusOK:
		return nil, failed("Refuse a picture that cannot be taken with 400 and a message; a server error looks like an outage.",
			"A request with a picture is answered with %s.", x.outcome()), true
	case d == nil || !d.valid() && len(d.violations) == 0:
		return nil, skipped("The answer held no call that could be judged."), true
	case len(d.violations) > 0:
		return nil, failed(schemaAdvice, "The answer breaks the schema: %s.", d.violations[0]), true
	}
	args, _ := d.args.(map[string]any)
	return args["value"], finding{}, false
}

// seen tells what the model saw, which is its own.
func seen(value any, right string) finding {
	switch value {
	case nil:
		return told("Taken; the model gave no answer to it, so whether it sees is not known.")
	case right:
		return passed("Taken, and the model saw what it shows.")
	}
	return warned(blindAdvice, "Taken, but answered with %q where the picture shows %q: the decision was not made with it.", value, right)
}

func checkInline(ctx context.Context, s *session) finding {
	value, f, done := s.see(ctx, ballsScreen, ballsTool, dataURL(balls(3), "png"))
	if done {
		return f
	}
	return seen(value, "3")
}

func checkFormats(ctx context.Context, s *session) finding {
	for _, format := range []string{"jpeg", "gif"} {
		if _, f, done := s.see(ctx, ballsScreen, ballsTool, dataURL(balls(2), format)); done {
			f.message += fmt.Sprintf(" (%s)", format)
			return f
		}
	}
	return passed("Both are taken.")
}

func checkSeveral(ctx context.Context, s *session) finding {
	value, f, done := s.see(ctx, "Screen: a question is waiting for your answer.\nComponent: multiplechoice\nQuestion: How many balls do the two pictures show, in their order?\n",
		submitTool("multiplechoice", `{"type":"string","enum":["1 and 4","2 and 3","2 and 5","3 and 2","3 and 4","4 and 1","4 and 3","5 and 2"]}`), dataURL(balls(2), "png"), dataURL(balls(5), "png"))
	if done {
		return f
	}
	return seen(value, "2 and 5")
}

func checkLink(ctx context.Context, s *session) finding {
	_, f, done := s.see(ctx, kindOf("rating").screen(), kindOf("rating").tool(), s.options.ImageURL)
	if done {
		if f.verdict == Warn {
			f.advice = "If your pictures are taken inline and HyperStudy sends links, use a server that fetches them. The picture was " + s.options.ImageURL + "."
		}
		return f
	}
	return passed("Taken.")
}

func checkBroken(ctx context.Context, s *session) finding {
	d, x := s.decide(ctx, body{Messages: screen(ballsScreen, "data:image/png;base64,aGVsbG8="), Tools: []Tool{waitTool, ballsTool}}, request{})
	switch {
	case x.err != nil:
		return skipped("There was no answer: %s.", x.Error)
	case x.declined():
		return told("It is refused: %s.", x.outcome())
	case x.Status != http.StatusOK:
		return failed("Refuse it with 400 and a message; a server error looks like an outage.", "A picture that nobody can read is answered with %s.", x.outcome())
	case d == nil || !d.valid():
		return skipped("The answer held no call that could be judged.")
	}
	return told("It is answered with a decision, as if it had been seen: check your pictures before a study.")
}
