// Six calls by the generated Go client. Arguments: address of the server, name of an index. Prints what came.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	pelorus "example.com/pelorus"
)

type fields = map[string]interface{}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func withID(id string, members fields) fields {
	all := fields{"_id": id}
	for name, value := range members {
		all[name] = value
	}
	return all
}

func main() {
	address, index := os.Args[1], os.Args[2]
	configuration := pelorus.NewConfiguration()
	configuration.Servers = pelorus.ServerConfigurations{{URL: address}}
	client := pelorus.NewAPIClient(configuration)
	ctx := context.Background()
	came := fields{}

	settings := pelorus.NewIndexSettings()
	settings.SetModel("random/small")
	created, _, err := client.IndexesAPI.CreateIndex(ctx, index).IndexSettings(*settings).Execute()
	came["created"] = must(created, err).Index

	request := pelorus.NewAddDocumentsRequest([]interface{}{
		fields{"_id": "1", "title": "red shoe", "price": 79.5, "sizes": []string{"41", "42"}},
		fields{"_id": "2", "title": "blue hat", "price": 12},
	})
	request.SetTensorFields([]interface{}{"title"})
	added, _, err := client.DocumentsAPI.AddDocuments(ctx, index).AddDocumentsRequest(*request).Execute()
	statuses := []int32{}
	for _, item := range must(added, err).Items {
		statuses = append(statuses, item.Status)
	}
	came["added"] = statuses

	words := "red shoe"
	search := pelorus.NewSearchRequest()
	search.SetQ(pelorus.Query{String: &words})
	search.SetSearchMethod(pelorus.SEARCHMETHOD_LEXICAL)
	found, _, err := client.SearchAPI.Search(ctx, index).SearchRequest(*search).Execute()
	hits := []fields{}
	for _, hit := range must(found, err).Hits {
		hits = append(hits, withID(hit.Id, hit.AdditionalProperties))
	}
	came["hits"] = hits

	document, _, err := client.DocumentsAPI.GetDocument(ctx, index, "1").Execute()
	came["document"] = withID(must(document, err).Id, document.AdditionalProperties)

	_, answer, err := client.DocumentsAPI.GetDocument(ctx, index, "nobody").Execute()
	var refused *pelorus.GenericOpenAPIError
	if errors.As(err, &refused) {
		var body struct{ Code string }
		must(0, json.Unmarshal(refused.Body(), &body))
		came["missing"] = []interface{}{answer.StatusCode, body.Code}
	}

	deleted, _, err := client.IndexesAPI.DeleteIndex(ctx, index).Execute()
	came["deleted"] = must(deleted, err).Acknowledged
	must(0, json.NewEncoder(os.Stdout).Encode(came))
}
