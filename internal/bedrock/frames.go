package bedrock

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"hyperstudy-endpoint/internal/openai"
)

// A frameCheck looks at the events of a stream before the SDK decodes them.
type frameCheck struct{}

// option adds the check to one call.
func (c frameCheck) option(o *bedrockruntime.Options) { sending(o, c) }

// ID names the middleware.
func (frameCheck) ID() string { return "CheckFrames" }

// HandleDeserialize puts the check before the body of a stream, and cuts short
// the body of an error.
func (frameCheck) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	resp, ok := out.RawResponse.(*smithyhttp.Response)
	if err != nil || !ok {
		return out, metadata, err
	}
	if isSuccess(resp) {
		resp.Body = limitedBody{&frames{body: resp.Body}, resp.Body}
	} else {
		resp.Body = limitedBody{io.LimitReader(resp.Body, maxFault), resp.Body}
	}
	return out, metadata, nil
}

// frames passes on the frames of an event stream one by one, laid out as
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
// says, and fails at one that is too long or whose payload is no valid Unicode.
type frames struct {
	body  io.Reader
	frame []byte
	ready []byte // the part of the frame that was not read yet
	size  int
}

func (f *frames) Read(p []byte) (int, error) {
	if len(f.ready) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// next reads a frame: its length, that of its headers, a checksum of these two,
// headers, payload, and a checksum. What is no frame is for the SDK to refuse.
func (f *frames) next() error {
	const prelude, checksum = 12, 4
	f.frame = append(f.frame[:0], make([]byte, prelude)...)
	n, err := io.ReadFull(f.body, f.frame)
	if err != nil {
		f.ready = f.frame[:n]
		return f.ended(err)
	}
	length, headers := int(binary.BigEndian.Uint32(f.frame)), int(binary.BigEndian.Uint32(f.frame[4:]))
	if crc32.ChecksumIEEE(f.frame[:8]) != binary.BigEndian.Uint32(f.frame[8:]) || length < prelude+headers+checksum {
		f.ready = f.frame
		return nil
	}
	if f.size += length; length > maxReply || f.size > maxStream {
		return errLongReply
	}
	f.frame = append(f.frame, make([]byte, length-prelude)...)
	n, err = io.ReadFull(f.body, f.frame[prelude:])
	f.ready = f.frame[:prelude+n]
	if err != nil {
		return f.ended(err)
	}
	if !openai.IsUnicode(f.frame[prelude+headers : length-checksum]) {
		return errUnicode
	}
	return nil
}

// ended passes on what there is of a frame that breaks off, then the error.
func (f *frames) ended(err error) error {
	if len(f.ready) == 0 {
		return err
	}
	f.body = brokenOff{err}
	return nil
}

// A brokenOff is what follows the end of a stream.
type brokenOff struct{ err error }

func (b brokenOff) Read([]byte) (int, error) {
	if b.err == io.ErrUnexpectedEOF { //nolint:errorlint // io.ReadFull returns just that
		return 0, io.EOF
	}
	return 0, b.err
}
