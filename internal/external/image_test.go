package external

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"hyperstudy-endpoint/internal/openai"
)

// An image that no model can see goes to none, and any other goes up as it came.
func TestInlineImages(t *testing.T) {
	t.Parallel()
	encoded := func(data string) string { return base64.StdEncoding.EncodeToString([]byte(data)) }
	const png = "\x89PNG\r\n\x1a\n\xfb\xff\xbe"
	tests := []struct{ name, url, fault string }{
		{"PNG", "data:image/png;base64," + encoded(png), ""},
		{"JPEG of another name", "data:image/jpg;base64," + encoded("\xff\xd8\xff\xe0\x00\x10JFIF"), ""},
		{"GIF that says it is a PNG", "data:image/png;base64," + encoded("GIF89a\x01\x00\x01\x00"), ""},
		{"WebP", "data:image/webp;base64," + encoded("RIFF\x24\x00\x00\x00WEBPVP8 "), ""},
		{"case and parameters", "Data:IMAGE/PNG;name=a.png;Base64," + encoded(png), ""},
		{"URL-safe without padding", "data:image/png;base64," + base64.RawURLEncoding.EncodeToString([]byte(png)), ""},
		{"large", "data:image/png;base64," + encoded(png+strings.Repeat("\x00\xff", 2<<20)), ""},
		{"a link", "https://example.org/a.svg?data:image/svg+xml", ""},
		{"a link without TLS", "http://example.org/a.png", ""},
		{"SVG", "data:image/svg+xml;base64," + encoded("<svg/>"), "is of image/svg+xml. Supported are PNG, JPEG, GIF and WebP"},
		{"SVG in text", "data:image/svg+xml;utf8,<svg/>", "is of image/svg+xml"},
		{"SVG that says it is a PNG", "data:image/png;base64," + encoded("<svg/>"), "declared as image/png, but its bytes are not a PNG, JPEG, GIF or WebP"},
		{"TIFF", "data:image/tiff;base64," + encoded("II*\x00"), "is of image/tiff"},
		{"a type that is no type", "data:<canary>;base64," + encoded("hello"), "an unknown type"},
		{"no base64", "data:image/png," + encoded(png), "must be a data URL in base64"},
		{"broken base64", "data:image/png;base64," + encoded(png) + "%%%", "not valid base64"},
		{"empty", "data:image/png;base64,", "is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, u := serve(t, always(http.StatusOK, okReply))
			body := `{"model":"m","messages":[{"role":"system","content":"x"},{"role":"user","content":[{"type":"text","text":"canary"},` +
				`{"type":"image_url","image_url":{ "url" : ` + strconv.Quote(tt.url) + `}}]}]}`
			req, err := openai.DecodeRequest(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Complete(t.Context(), req)
			if tt.fault == "" {
				if got := u.calls(); err != nil || len(got) != 1 || got[0] != body {
					t.Errorf("%v; sent %.300q", err, got)
				}
				return
			}
			e := wantError(t, err)
			if e.Status != 400 || e.Code != openai.CodeInvalidValue || e.Param != "messages[1].content[1].image_url.url" || !strings.Contains(e.Message, tt.fault) {
				t.Errorf("got %d %q %q: %s", e.Status, e.Code, e.Param, e.Message)
			}
			if len(u.calls()) > 0 {
				t.Error("the image was sent")
			}
			quiet(t, err)
		})
	}
}
