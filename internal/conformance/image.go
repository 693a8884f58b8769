package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
)

var imageCost = Cost{Requests: 1, PromptTokens: 900, CompletionTokens: 150}

const (
	noImagesAdvice = "Use a model that sees pictures, or a study without them."
	// blindAdvice is for a picture that is taken and not seen, which is the
	// model's own: it is warned of and does not fail.
	blindAdvice = "Use a model that sees pictures: a study with them would be answered blindly."
)

func imageChecks() []check {
	checks := []check{
		{Check: Check{ID: "image.inline", Group: "images", Title: "picture in the request",
			Requirement: "A picture on the screen comes as an image part with a data URL, and the decision is made with it."}, run: checkInline},
		{Check: Check{ID: "image.formats", Group: "images", Title: "JPEG and GIF",
			Requirement: "The formats of HyperStudy's media library that models know are taken, and the decision is made with them."}, run: checkFormats},
		{Check: Check{ID: "image.several", Group: "images", Title: "several pictures",
			Requirement: "Several pictures in one request are taken, in their order."}, run: checkSeveral},
		{Check: Check{ID: "image.link", Group: "images", Title: "picture by link",
			Requirement: "A picture may come as an https link: whether it is taken is reported; if not, it is refused with a message that says so."}, run: checkLink},
		{Check: Check{ID: "image.broken", Group: "images", Title: "broken picture",
			Requirement: "Whether a picture that nobody can read is refused is reported: an answer to it would be blind."}, run: checkBroken},
	}
	for i := range checks {
		checks[i].Cost = imageCost
	}
	checks[1].Cost = imageCost.times(len(formats))
	return checks
}

// What the pictures show: numbers, so that whoever guesses is seldom right.
const inlineNumber = "943"

var (
	formats = []struct{ format, number string }{{"jpeg", "258"}, {"gif", "617"}}
	digits  = []string{"5", "2", "9"} // in a picture each
)

// font has the digits as five rows of three cells each.
var font = [10][5]string{
	{"###", "# #", "# #", "# #", "###"}, {" # ", "## ", " # ", " # ", "###"}, {"###", "  #", "###", "#  ", "###"}, {"###", "  #", "###", "  #", "###"},
	{"# #", "# #", "###", "  #", "  #"}, {"###", "#  ", "###", "  #", "###"}, {"###", "#  ", "###", "# #", "###"}, {"###", "  #", "  #", "  #", "  #"},
	{"###", "# #", "###", "# #", "###"}, {"###", "# #", "###", "  #", "###"},
}

// picture draws a number, large and black on white.
func picture(number string) image.Image {
	const cell = 24 // pixels
	columns, rows := 4*len(number)+1, len(font[0])+2
	m := image.NewPaletted(image.Rect(0, 0, columns*cell, rows*cell), color.Palette{color.White, color.Black})
	for x := cell; x < (columns-1)*cell; x++ {
		for y := cell; y < (rows-1)*cell; y++ {
			column, row := x/cell-1, y/cell-1
			if column%4 < 3 && font[number[column/4]-'0'][row][column%4] == '#' {
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

// numberTool takes a number of three digits, which one guess in 900 hits.
var numberTool = submitTool("textinput", `{"type":"integer","minimum":100,"maximum":999}`)

func numberScreen(question string) string {
	return "Screen: a question is waiting for your answer.\nComponent: textinput\nQuestion: " + question + "\n"
}

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

// seeNumber asks for the number that pictures show, and tells whether the model
// saw it, which is its own.
func (s *session) seeNumber(ctx context.Context, question, number string, urls ...string) finding {
	value, f, done := s.see(ctx, numberScreen(question), numberTool, urls...)
	switch {
	case done:
		return f
	case value == nil:
		return told("Taken; the model chose to wait, so whether it sees is not known.")
	case !equal(value, json.Number(number)):
		return warned(blindAdvice, "Taken, but answered with %v where %s is shown: the decision was not made with it.", value, number)
	}
	return passed("Taken, and the model saw what is shown.")
}

const whichNumber = "Which number does the picture show?"

func checkInline(ctx context.Context, s *session) finding {
	return s.seeNumber(ctx, whichNumber, inlineNumber, dataURL(picture(inlineNumber), "png"))
}

func checkFormats(ctx context.Context, s *session) finding {
	worst := passed("Both are taken, and the model saw what is shown.")
	for _, c := range formats {
		f := s.seeNumber(ctx, whichNumber, c.number, dataURL(picture(c.number), c.format))
		f.message += fmt.Sprintf(" (%s)", c.format)
		switch f.verdict {
		case Pass:
		case Info: // the other may be refused
			worst = f
		default:
			return f
		}
	}
	return worst
}

func checkSeveral(ctx context.Context, s *session) finding {
	var urls []string
	for _, digit := range digits {
		urls = append(urls, dataURL(picture(digit), "png"))
	}
	return s.seeNumber(ctx, "Each of the pictures shows a digit. Which number do they make, in the order of the pictures?", strings.Join(digits, ""), urls...)
}

func checkLink(ctx context.Context, s *session) finding {
	_, f, done := s.see(ctx, kindOf("rating").screen(), kindOf("rating").tool(), s.options.ImageURL)
	if done {
		if f.verdict == Warn {
			f.advice = "If your pictures are taken inline and HyperStudy sends links, use a server that fetches them. The picture was " + s.options.ImageURL + "."
		}
		return f
	}
	return told("Taken. What the picture shows is not asked, so whether the model saw it is not known.")
}

func checkBroken(ctx context.Context, s *session) finding {
	d, x := s.decide(ctx, body{Messages: screen(numberScreen(whichNumber), "data:image/png;base64,aGVsbG8="), Tools: []Tool{waitTool, numberTool}}, request{})
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
