package bedrock

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hyperstudy-endpoint/internal/openai"
)

// Limits of Converse on the images of a message:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
const (
	maxImages     = 20
	maxImageBytes = 3_932_160 // 3.75 MB
	maxImageSide  = 8000      // pixels
)

// Limits that keep the images of a request from taking the memory of the function.
const (
	maxAllImages = 15 << 20 // bytes of all images of a request
	maxLoads     = 4        // images loaded at the same time
)

// A picturePlace is where in a request an image stands.
type picturePlace struct{ message, part int }

func (p picturePlace) param() string {
	return fmt.Sprintf("messages[%d].content[%d].image_url.url", p.message, p.part)
}

// pictures loads the images of the request, some at the same time. Of several
// that cannot be used the first is reported.
func (t *translation) pictures(ctx context.Context, f *fetcher) (map[picturePlace]types.ContentBlock, error) {
	var places []picturePlace
	for i, m := range t.req.Messages {
		for j, p := range m.Content {
			if p.Type == openai.PartImageURL {
				places = append(places, picturePlace{i, j})
			}
		}
	}
	switch {
	case len(places) == 0:
		return nil, nil
	case !t.family.can(images):
		return nil, openai.Unsupported(strings.TrimSuffix(places[0].param(), ".image_url.url"), "This model cannot see images. Choose a model with vision, or leave the image out.")
	case len(places) > maxImages:
		return nil, openai.InvalidValue(places[maxImages].param(), "The request has %d images; at most %d are allowed.", len(places), maxImages)
	}
	return t.load(ctx, f, places)
}

// load loads the images at some places until there are too many bytes of them.
func (t *translation) load(ctx context.Context, f *fetcher, places []picturePlace) (map[picturePlace]types.ContentBlock, error) {
	var (
		blocks = make([]*types.ContentBlockMemberImage, len(places))
		errs   = make([]error, len(places))
		total  atomic.Int64
		wait   sync.WaitGroup
		free   = make(chan struct{}, maxLoads)
	)
	for n, place := range places {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			if total.Load() > maxAllImages {
				return
			}
			url := t.req.Messages[place.message].Content[place.part].ImageURL
			if blocks[n], errs[n] = loadImage(ctx, f, url, place.param()); errs[n] == nil {
				total.Add(int64(imageBytes(blocks[n])))
			}
		})
	}
	wait.Wait()
	loaded, sum := make(map[picturePlace]types.ContentBlock, len(places)), 0
	for n, place := range places {
		if errs[n] != nil {
			return nil, errs[n]
		}
		if sum += imageBytes(blocks[n]); sum > maxAllImages || blocks[n] == nil {
			return nil, openai.InvalidValue(place.param(), "With the image in '%s', the images of the request are larger than 15 MB together. Send fewer or smaller ones.", place.param())
		}
		loaded[place] = blocks[n]
	}
	return loaded, nil
}

// imageBytes is the size of an image; of none it is 0.
func imageBytes(block *types.ContentBlockMemberImage) int {
	if block == nil {
		return 0
	}
	source, ok := block.Value.Source.(*types.ImageSourceMemberBytes)
	if !ok {
		return 0
	}
	return len(source.Value)
}

// loadImage returns the image that a data or https URL stands for.
func loadImage(ctx context.Context, f *fetcher, url, param string) (*types.ContentBlockMemberImage, error) {
	var (
		data     []byte
		declared string
		err      error
	)
	scheme, _, _ := strings.Cut(url, ":")
	inline, isInline := openai.ParseDataURL(url)
	switch {
	case isInline:
		declared = inline.MediaType
		data, err = inline.Decode(param)
	case strings.EqualFold(strings.TrimSpace(scheme), "https"):
		data, declared, err = f.fetch(ctx, url, param)
	default:
		err = openai.InvalidValue(param, "'%s' must be a data URL or an https URL.", param)
	}
	if err != nil {
		return nil, err
	}
	return imageBlock(data, declared, param)
}

// imageBlock checks an image against the limits. What it is, its bytes say, not
// the type it was declared to have.
func imageBlock(data []byte, declared, param string) (*types.ContentBlockMemberImage, error) {
	if len(data) > maxImageBytes {
		return nil, tooManyBytes(param)
	}
	format, ok := sniffImage(data)
	if !ok {
		return nil, openai.UnsupportedImage(param, declared)
	}
	width, height, err := imageSize(data, format)
	if err != nil || width < 1 || height < 1 {
		return nil, openai.InvalidValue(param, "The image in '%s' is damaged: it starts like a %s image but cannot be read as one.", param, format)
	}
	if width > maxImageSide || height > maxImageSide {
		return nil, openai.InvalidValue(param, "The image in '%s' has %d x %d pixels; at most %d on each side are allowed. Send a smaller one.", param, width, height, maxImageSide)
	}
	return &types.ContentBlockMemberImage{Value: types.ImageBlock{Format: format, Source: &types.ImageSourceMemberBytes{Value: data}}}, nil
}

func tooManyBytes(param string) *openai.Error {
	return openai.InvalidValue(param, "The image in '%s' is larger than 3.75 MB. Send a smaller one.", param)
}

var imageFormats = map[string]types.ImageFormat{
	"image/png": types.ImageFormatPng, "image/jpeg": types.ImageFormatJpeg, "image/gif": types.ImageFormatGif, "image/webp": types.ImageFormatWebp,
}

// sniffImage tells the format by the first bytes.
func sniffImage(data []byte) (types.ImageFormat, bool) {
	f, ok := imageFormats[http.DetectContentType(data)]
	return f, ok
}
