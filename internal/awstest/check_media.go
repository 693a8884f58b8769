package awstest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"  // formats the service takes
	_ "image/jpeg" // formats the service takes
	_ "image/png"  // formats the service takes
	"regexp"
)

// Limits of the Converse API, per message.
const (
	maxImages        = 20
	maxImageBytes    = 3_932_160 // 3.75 MB
	maxImageSide     = 8000
	maxDocuments     = 5
	maxDocumentBytes = 4_718_592 // 4.5 MB
)

func mediaRole(c *call) string {
	for i, m := range c.body.Messages {
		for j, b := range m.Content {
			if m.Role != userRole && (b.Image != nil || b.Document != nil || b.Video != nil || b.Audio != nil) {
				return fmt.Sprintf("messages.%d.content.%d: only user messages can contain images, documents, video and audio", i, j)
			}
		}
	}
	return ""
}

func mediaSupport(c *call) string {
	if c.traits.unknown {
		return ""
	}
	const message = "This model doesn't support the %s content block that you provided. Remove the %[1]s and try again."
	judge := func(blocks []contentBlock, images bool) string {
		for _, b := range blocks {
			switch {
			case b.Image != nil && !images:
				return fmt.Sprintf(message, "image")
			case b.Video != nil && !c.traits.video:
				return fmt.Sprintf(message, "video")
			case b.Audio != nil:
				return fmt.Sprintf(message, "audio")
			}
		}
		return ""
	}
	for _, m := range c.body.Messages {
		if message := judge(m.Content, c.traits.images); message != "" {
			return message
		}
		for _, b := range m.Content {
			if b.ToolResult == nil {
				continue
			}
			if message := judge(b.ToolResult.Content, c.traits.resultImages); message != "" {
				return message
			}
		}
	}
	return ""
}

// images are those of a message, its tool results included. An image from Amazon
// S3 has no bytes.
func (m message) images() (out []*media) {
	add := func(blocks []contentBlock) {
		for _, b := range blocks {
			if b.Image != nil {
				out = append(out, b.Image)
			}
		}
	}
	add(m.Content)
	for _, b := range m.Content {
		if b.ToolResult != nil {
			add(b.ToolResult.Content)
		}
	}
	return out
}

func imageLimits(c *call) string {
	for i, m := range c.body.Messages {
		images := m.images()
		if len(images) > maxImages {
			return fmt.Sprintf("messages.%d: too many images: %d > %d", i, len(images), maxImages)
		}
		for _, img := range images {
			if n := len(img.Source.Bytes); n > maxImageBytes {
				return fmt.Sprintf("messages.%d: image exceeds 5 MB maximum: %d bytes > 5242880 bytes", i, (n+2)/3*4)
			}
			if w, h, _ := imageConfig(img.Source.Bytes); w > maxImageSide || h > maxImageSide {
				return fmt.Sprintf("messages.%d: At least one of the image dimensions exceed max allowed size: %d pixels", i, maxImageSide)
			}
		}
	}
	return ""
}

func imageFormat(c *call) string {
	for i, m := range c.body.Messages {
		for _, img := range m.images() {
			if img.Source.Bytes == nil {
				continue
			}
			_, _, format := imageConfig(img.Source.Bytes)
			switch format {
			case img.Format:
			case "":
				return fmt.Sprintf("messages.%d: Could not process image", i)
			default:
				return fmt.Sprintf("messages.%d: Image does not match the provided media type image/%s", i, img.Format)
			}
		}
	}
	return ""
}

// imageConfig reads an image's size and format from its head, or returns "" for
// the format when it is none of those the service takes.
func imageConfig(b []byte) (width, height int, format string) {
	if w, h, ok := webpSize(b); ok {
		return w, h, "webp"
	}
	cfg, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return 0, 0, ""
	}
	return cfg.Width, cfg.Height, format
}

// webpSize reads the head of a WebP file: RFC 9649, sections 2.5 to 2.7.
func webpSize(b []byte) (width, height int, ok bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0, false
	}
	little := binary.LittleEndian
	switch string(b[12:16]) {
	case "VP8 ":
		return int(little.Uint16(b[26:]) & 0x3fff), int(little.Uint16(b[28:]) & 0x3fff), true
	case "VP8L":
		bits := little.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
	case "VP8X":
		return int(little.Uint32(b[24:])&0xffffff) + 1, int(little.Uint32(b[26:])>>8) + 1, true
	}
	return 0, 0, false
}

// documentName allows letters, digits, hyphens, brackets and single spaces.
var documentName = regexp.MustCompile(`^[a-zA-Z0-9()\[\]-]+( [a-zA-Z0-9()\[\]-]+)*$`)

func documents(c *call) string {
	names := map[string]bool{}
	for i, m := range c.body.Messages {
		count, text := 0, false
		for j, b := range m.Content {
			text = text || b.Text != nil
			if b.Document == nil {
				continue
			}
			count++
			switch {
			case !documentName.MatchString(b.Document.Name):
				return fmt.Sprintf("The name in the document at messages.%d.content.%d can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.", i, j)
			case names[b.Document.Name]:
				return "Messages contains duplicate document names. Provide unique document names."
			case len(b.Document.Source.Bytes) > maxDocumentBytes:
				return fmt.Sprintf("The document at messages.%d.content.%d exceeds the size limit of 4.5 MB.", i, j)
			case count > maxDocuments:
				return fmt.Sprintf("The number of documents in messages.%d exceeds the limit of %d.", i, maxDocuments)
			}
			names[b.Document.Name] = true
		}
		if count > 0 && !text {
			return "Your request must include a text block when you use documents. Add a text block and try again."
		}
	}
	return ""
}
