package openai

import (
	"encoding/base64"
	"mime"
	"slices"
	"strings"
)

// A DataURL is an image that stands in the request itself, in base64. It is read
// leniently where the meaning is clear: the case of the scheme and of the media
// type, parameters, white space, missing padding, the URL-safe alphabet and
// percent signs do not matter.
type DataURL struct {
	MediaType string // as it was declared, in lower case and without parameters
	base64    bool
	payload   string
}

// ParseDataURL splits a data URL as https://www.rfc-editor.org/rfc/rfc2397 has
// it. It reports false for any other URL.
func ParseDataURL(url string) (DataURL, bool) {
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok || !strings.EqualFold(strings.TrimSpace(scheme), "data") {
		return DataURL{}, false
	}
	header, payload, ok := strings.Cut(rest, ",")
	mediaType, _, _ := strings.Cut(header, ";")
	return DataURL{
		MediaType: strings.ToLower(strings.TrimSpace(mediaType)),
		base64:    ok && strings.EqualFold(strings.TrimSpace(header[strings.LastIndex(header, ";")+1:]), "base64"),
		payload:   payload,
	}, true
}

// Decode returns the image. Its errors are 400s that name param, for what is
// declared as SVG, is not in base64, or is empty.
func (d DataURL) Decode(param string) ([]byte, error) {
	if err := d.checkHeader(param); err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(d.payload)
	if err != nil {
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(plainBase64.Replace(d.payload), "="))
	}
	switch {
	case err != nil:
		return nil, notBase64(param)
	case len(data) == 0:
		return nil, emptyImage(param)
	}
	return data, nil
}

// Head returns the first bytes of the image, at most the 512 that
// [net/http.DetectContentType] looks at, and fails where Decode does. The bytes
// behind them are checked and not decoded, so that megabytes cost next to nothing.
func (d DataURL) Head(param string) ([]byte, error) {
	if err := d.checkHeader(param); err != nil {
		return nil, err
	}
	const length = 512
	symbols, ok := d.symbols(base64.RawStdEncoding.EncodedLen(length))
	head, err := base64.RawStdEncoding.DecodeString(symbols)
	switch {
	case err != nil || !ok:
		return nil, notBase64(param)
	case len(head) == 0:
		return nil, emptyImage(param)
	}
	return head, nil
}

// symbols returns the first symbols of the payload in the standard alphabet. It
// reports whether all of the payload is base64.
func (d DataURL) symbols(most int) (string, bool) {
	var (
		first  strings.Builder
		count  int
		padded bool
	)
	for i := 0; i < len(d.payload); i++ {
		if first.Len() == most && !padded {
			run := plainRun(d.payload[i:])
			count, i = count+run, i+run
			if i == len(d.payload) {
				break
			}
		}
		symbol, width := nextSymbol(d.payload[i:])
		i += width - 1
		switch {
		case symbol == ' ':
		case symbol == '=':
			padded = true
		case padded || foreign[symbol] != 0:
			return "", false
		default:
			count++
			if first.Len() < most {
				first.WriteByte(symbol)
			}
		}
	}
	return first.String(), count%4 != 1 // six bits are no byte
}

// nextSymbol reads one symbol the way plainBase64 does. White space of any kind
// is a space.
func nextSymbol(payload string) (symbol byte, width int) {
	switch c := payload[0]; c {
	case '\t', '\r', '\n':
		return ' ', 1
	case '-':
		return '+', 1
	case '_':
		return '/', 1
	case '%':
		switch strings.ToUpper(payload[:min(len(payload), 3)]) {
		case "%2B":
			return '+', 3
		case "%2F":
			return '/', 3
		case "%3D":
			return '=', 3
		}
		return c, 1
	default:
		return c, 1
	}
}

// plainRun is how many symbols of the standard alphabet stand at the start. It
// looks at eight at a time, which takes a third of the time.
func plainRun(payload string) int {
	i := 0
	for ; i+8 <= len(payload); i += 8 {
		s := payload[i : i+8]
		if foreign[s[0]]|foreign[s[1]]|foreign[s[2]]|foreign[s[3]]|foreign[s[4]]|foreign[s[5]]|foreign[s[6]]|foreign[s[7]] != 0 {
			break
		}
	}
	for i < len(payload) && foreign[payload[i]] == 0 {
		i++
	}
	return i
}

// foreign is 0 for the symbols of the standard alphabet alone.
var foreign = func() (table [256]byte) {
	for c := range table {
		table[c] = 1
	}
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		table[c] = 0
	}
	return table
}()

// plainBase64 turns base64 as it stands in URLs, or in text, into the plain form.
var plainBase64 = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "-", "+", "_", "/",
	"%2B", "+", "%2b", "+", "%2F", "/", "%2f", "/", "%3D", "=", "%3d", "=")

func (d DataURL) checkHeader(param string) error {
	if strings.Contains(d.MediaType, "svg") {
		return UnsupportedImage(param, d.MediaType)
	}
	if !d.base64 {
		return InvalidValue(param, "'%s' must be a data URL in base64, such as data:image/png;base64,...", param)
	}
	return nil
}

func notBase64(param string) *Error {
	return InvalidValue(param, "The image in '%s' is not valid base64.", param)
}

func emptyImage(param string) *Error {
	return InvalidValue(param, "The image in '%s' is empty.", param)
}

// otherImages are the types of images that models do not take, as far as errors
// name them.
var otherImages = []string{
	"image/apng", "image/avif", "image/bmp", "image/heic", "image/heif", "image/jxl", "image/svg+xml", "image/tiff", "image/vnd.microsoft.icon", "image/x-icon",
	"application/pdf", "text/html",
}

// UnsupportedImage is a 400 for an image of another type than models take. It
// names the media type that the image was declared to have only if it is a known
// one, since the caller could have written anything there.
func UnsupportedImage(param, declared string) *Error {
	kind, _, err := mime.ParseMediaType(declared)
	if err != nil || !slices.Contains(otherImages, kind) {
		kind = "an unknown type"
	}
	return InvalidValue(param, "The image in '%s' is of %s. Supported are PNG, JPEG, GIF and WebP images.", param, kind)
}
