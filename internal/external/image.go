package external

import (
	"fmt"
	"net/http"
	"slices"

	"hyperstudy-endpoint/internal/openai"
)

// imageTypes are the images that vision models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// checkImages refuses images in the request that no model can see: a lenient
// upstream would answer as if it had seen them. Linked images are the upstream's.
func checkImages(req *openai.ChatCompletionRequest) error {
	for i, m := range req.Messages {
		for j, part := range m.Content {
			if part.Type != openai.PartImageURL {
				continue
			}
			if image, ok := openai.ParseDataURL(part.ImageURL); ok {
				if err := checkImage(image, fmt.Sprintf("messages[%d].content[%d].image_url.url", i, j)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkImage goes by the image's bytes. What they are declared to be is only
// what the error calls them.
func checkImage(image openai.DataURL, param string) error {
	head, err := image.Head(param)
	switch {
	case err != nil:
		return err
	case slices.Contains(imageTypes, http.DetectContentType(head)):
		return nil
	case slices.Contains(imageTypes, image.MediaType):
		return openai.InvalidValue(param, "The image in '%s' is declared as %s, but its bytes are not a PNG, JPEG, GIF or WebP image.", param, image.MediaType)
	default:
		return openai.UnsupportedImage(param, image.MediaType)
	}
}
