package api

import (
	"net/http"

	"hyperstudy-endpoint/internal/chat"
	"hyperstudy-endpoint/internal/openai"
)

// listModels answers GET /models from configuration alone, so that it can
// neither be slow nor fail.
func (s *Server) listModels(out *response, _ *http.Request, x *Exchange) error {
	x.Kind = KindModels
	list := openai.ModelList{Object: "list", Data: []openai.Model{}}
	for _, m := range s.options.Models {
		list.Data = append(list.Data, s.model(m))
	}
	return out.writeJSON(http.StatusOK, list)
}

// getModel answers GET /models/{id}.
func (s *Server) getModel(id string) func(*response, *http.Request, *Exchange) error {
	return func(out *response, _ *http.Request, x *Exchange) error {
		x.Kind = KindModels
		m, err := chat.Find(s.options.Models, id)
		if err != nil {
			return err
		}
		return out.writeJSON(http.StatusOK, s.model(m))
	}
}

func (s *Server) model(m chat.Model) openai.Model {
	return openai.Model{ID: m.Alias, Object: "model", Created: s.created, OwnedBy: m.OwnedBy}
}
