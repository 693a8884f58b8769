package api

import (
	"net/http"

	"hyperstudy-endpoint/internal/openai"
)

// listModels answers GET /models from configuration alone, so that it can
// neither be slow nor fail.
func (s *Server) listModels(out *response, _ *http.Request, x *Exchange) error {
	x.Kind = KindModels
	return out.writeJSON(http.StatusOK, openai.ModelList{Object: "list", Data: s.options.Models})
}

// getModel answers GET /models/{id}.
func (s *Server) getModel(id string) func(*response, *http.Request, *Exchange) error {
	return func(out *response, _ *http.Request, x *Exchange) error {
		x.Kind = KindModels
		ids := make([]string, len(s.options.Models))
		for i, m := range s.options.Models {
			ids[i] = m.ID
		}
		at, err := openai.FindModel(ids, id)
		if err != nil {
			return err
		}
		return out.writeJSON(http.StatusOK, s.options.Models[at])
	}
}
