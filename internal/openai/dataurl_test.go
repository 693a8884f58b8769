package openai

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

func TestDataURL(t *testing.T) {
	t.Parallel()
	const pixels = "\x89PNG\r\n\x1a\n\xfb\xff\xbe" // its base64 has a + and a /
	plain := base64.StdEncoding.EncodeToString([]byte(pixels))
	tests := []struct {
		name, url string
		mediaType string
		fault     string // what the message says; "" if there is an image
	}{
		{"plain", "data:image/png;base64," + plain, "image/png", ""},
		{"case", "DATA:Image/PNG;BASE64," + plain, "image/png", ""},
		{"space around", " data: image/png ;base64 ," + plain, "image/png", ""},
		{"parameters", "data:image/png;name=a.png;base64," + plain, "image/png", ""},
		{"no media type", "data:;base64," + plain, "", ""},
		{"no padding", "data:image/png;base64," + strings.TrimRight(plain, "="), "image/png", ""},
		{"URL-safe alphabet", "data:image/png;base64," + base64.URLEncoding.EncodeToString([]byte(pixels)), "image/png", ""},
		{"line breaks", "data:image/png;base64,\r\n" + plain[:5] + "\n\t " + plain[5:] + "\n", "image/png", ""},
		{"percent signs", "data:image/png;base64," + strings.NewReplacer("+", "%2b", "/", "%2F", "=", "%3d").Replace(plain), "image/png", ""},
		{"SVG", "data:image/svg+xml;base64," + plain, "image/svg+xml", "is of image/svg+xml"},
		{"SVG in text", "data:image/SVG+xml;utf8,<svg/>", "image/svg+xml", "is of image/svg+xml"},
		{"text", "data:image/png,abcd", "image/png", "must be a data URL in base64"},
		{"base64 as a parameter", "data:image/png;base64;x=1,abcd", "image/png", "must be a data URL in base64"},
		{"no comma", "data:image/png;base64", "image/png", "must be a data URL in base64"},
		{"not the alphabet", "data:image/png;base64,iVBO*w0K", "image/png", "not valid base64"},
		{"other percent signs", "data:image/png;base64,iVBO%20w0K", "image/png", "not valid base64"},
		{"half a percent sign", "data:image/png;base64,iVBO%2", "image/png", "not valid base64"},
		{"padding in the middle", "data:image/png;base64,iVBO=w0K", "image/png", "not valid base64"},
		{"six bits too many", "data:image/png;base64,iVBOR", "image/png", "not valid base64"},
		{"nothing", "data:image/png;base64,", "image/png", "is empty"},
		{"nothing but padding", "data:image/png;base64,== \n", "image/png", "is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, ok := ParseDataURL(tt.url)
			if !ok || d.MediaType != tt.mediaType {
				t.Fatalf("%+v, %v", d, ok)
			}
			data, err := d.Decode("place")
			head, headErr := d.Head("place")
			if tt.fault == "" {
				if err != nil || headErr != nil || string(data) != pixels || string(head) != pixels {
					t.Errorf("%q, %v; head %q, %v", data, err, head, headErr)
				}
				return
			}
			for _, err := range []error{err, headErr} {
				e := AsError(err)
				if e.Status != 400 || e.Code != CodeInvalidValue || e.Param != "place" || !strings.Contains(e.Message, tt.fault) {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

func TestOtherURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "data", "https://example.org/a.png", "https://example.org/?u=data:image/png;base64,AAAA", "x-data:,"} {
		if d, ok := ParseDataURL(url); ok {
			t.Errorf("%q is %+v", url, d)
		}
	}
}

// A fault is found wherever it stands, and the start is the start of the whole.
func TestHeadOfLargeImage(t *testing.T) { // not parallel, since it counts allocations
	image := bytes.Repeat([]byte("\x89PNG\r\n\x1a\n\xfb\xff\xbe "), 1<<18)
	encoded := base64.StdEncoding.EncodeToString(image)
	head := func(payload string) ([]byte, error) {
		d, _ := ParseDataURL("data:image/png;base64," + payload)
		return d.Head("place")
	}
	for _, payload := range []string{encoded, base64.RawURLEncoding.EncodeToString(image), encoded[:1000] + "\n" + encoded[1000:]} {
		if got, err := head(payload); err != nil || !bytes.Equal(got, image[:512]) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	for _, at := range []int{0, 683, 684, 685, 4096, len(encoded) - 1} {
		if _, err := head(encoded[:at] + "*" + encoded[at+1:]); err == nil {
			t.Errorf("a fault at %d was not found", at)
		}
	}
	if _, err := head(encoded + "AA"); err != nil {
		t.Error(err)
	}
	if _, err := head(encoded + "A"); err == nil {
		t.Error("six bits too many were not found")
	}
	if allocs := testing.AllocsPerRun(5, func() { _, _ = head(encoded) }); allocs > 20 {
		t.Errorf("%v allocations", allocs)
	}
}

// FuzzDataURL holds Head to Decode.
func FuzzDataURL(f *testing.F) {
	for _, payload := range []string{"", "AAAA", "AA==", "AA=\n=", "A-_/", "%2B%2f%3D", "AA=A", "%", strings.Repeat("iVBO", 200) + "=", strings.Repeat("a b_", 700) + "%3d"} {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		d, ok := ParseDataURL("data:image/png;base64," + payload)
		if !ok {
			t.Fatal("not a data URL")
		}
		data, err := d.Decode("place")
		head, headErr := d.Head("place")
		if (err == nil) != (headErr == nil) || err != nil && err.Error() != headErr.Error() {
			t.Fatalf("Decode: %v, Head: %v", err, headErr)
		}
		if !bytes.Equal(head, data[:min(len(data), 512)]) {
			t.Errorf("head %q of %q", head, data)
		}
	})
}

func BenchmarkHead(b *testing.B) {
	d, _ := ParseDataURL("data:image/png;base64," + base64.StdEncoding.EncodeToString(make([]byte, 4<<20)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Head("place"); err != nil {
			b.Fatal(err)
		}
	}
}
