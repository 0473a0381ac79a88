//! Searches of an index on a cluster: the requests, and answers made of the cluster's.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::sync::Arc;

use pelorus_engine::{Cancellation, CandidateFields, CandidateIndex};
use pelorus_lexical::{FieldAnalysis, TextFields};
use pelorus_opensearch::{ClusterRanking, ClusterSearch, Exchange, Sending, Step};
use serde_json::{Value, json};

/// More steps than any of these searches takes.
const STEPS_MAX: usize = 6;

const DOCUMENTS: [(&str, &str); 3] = [("a", "red dog"), ("b", "red cat"), ("c", "green cat")];

fn definition(space: &str) -> Vec<u8> {
    let settings = json!({
        "type": "unstructured", "model": "no_model", "normalizeEmbeddings": true,
        "treatUrlsAndPointersAsImages": false, "treatUrlsAndPointersAsMedia": false,
        "filterStringMaxLength": 50,
        "textPreprocessing": {"splitLength": 1, "splitOverlap": 0, "splitMethod": "sentence"},
        "annParameters": {"spaceType": space, "parameters": {"efConstruction": 64, "m": 8}}
    });
    let resolved = json!({"dimensions": 2, "embeds": false});
    let definition = json!({"settings": settings, "resolved": resolved});
    definition.to_string().into_bytes()
}

fn plan(members: Value) -> Value {
    let mut plan = json!({
        "limit": 10, "offset": 0, "filter": null, "attributesToRetrieve": null, "showHighlights": true,
        "retrievalMethod": "tensor", "rankingMethod": "tensor", "rrf": null, "tensor": null, "lexical": null,
        "trackTotalHits": false, "explain": false, "lexicalHighlights": null,
    });
    for (name, value) in members.as_object().unwrap() {
        plan[name] = value.clone();
    }
    plan
}

fn words(text: &str) -> Value {
    json!({"retrievalMethod": "lexical", "rankingMethod": "lexical",
           "lexical": {"text": text, "operand": "or", "fields": null}})
}

fn tensor() -> Value {
    json!({"tensor": {"fields": null, "efSearch": 100, "approximate": true, "approximateThreshold": null,
                      "weights": [1.0], "interpolation": null}})
}

/// An index of a text field in English and a tensor field.
fn index(space: &str) -> Arc<CandidateIndex> {
    let english = TextFields::analysis_number(FieldAnalysis::default(), "red dog");
    let fields = CandidateFields {
        text: TextFields::new([("title", vec![english])]),
        tensor: vec!["v".to_owned()],
        ..CandidateFields::default()
    };
    Arc::new(CandidateIndex::new("u", &definition(space), b"{}", fields).unwrap())
}

fn begin(space: &str, plan: &Value, vector: &[f32]) -> Result<ClusterSearch, String> {
    let never = Cancellation::never();
    ClusterSearch::begin(&index(space), plan.to_string().as_bytes(), vector, &never)
        .map_err(|error| format!("{}: {error}", error.code()))
}

/// The stored form of a document, by its layout.
fn stored(id: &str, title: &str) -> String {
    let mut bytes = vec![1];
    for text in [id, "title", &json!(title).to_string()] {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    BASE64_STANDARD.encode(bytes)
}

/// Tells whether a request asks for a member of the source.
fn shows(body: &Value, member: &str) -> bool {
    let shown = body["_source"].as_array();
    shown.is_some_and(|shown| shown.contains(&json!(member)))
}

/// A hit of the cluster, with the stored form where the request asks for it.
fn hit(body: &Value, (id, title): (&str, &str), score: f64) -> Value {
    let mut hit = json!({"_id": format!("i{id}"), "_score": score});
    if shows(body, "stored") {
        hit["_source"] = json!({"stored": stored(id, title)});
    }
    hit
}

/// Runs a search whose requests `cluster` answers; gives the bodies of the requests and the answer.
fn run(mut search: ClusterSearch, cluster: impl Fn(&Value) -> Value) -> (Vec<Value>, Value) {
    let (mut bodies, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..STEPS_MAX {
        match search.step(&answers).unwrap() {
            Step::Done(body) => return (bodies, serde_json::from_slice(&body).unwrap()),
            Step::Ranked(_) => panic!("a page was searched"),
            Step::Send(requests) => {
                answers = requests.iter().map(|one| cluster(&one.body)).collect();
                bodies.extend(requests.into_iter().map(|one| one.body));
            }
        }
    }
    panic!("it asks for ever: {bodies:?}");
}

/// The ids and scores of hits, in order.
fn ranked(answer: &Value) -> Vec<(&str, f64)> {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| {
        (
            hit["_id"].as_str().unwrap(),
            hit["_score"].as_f64().unwrap(),
        )
    })
    .collect()
}

fn found(hits: Vec<Value>, total: usize) -> Value {
    json!({"hits": {"total": {"value": total}, "hits": hits}})
}

#[test]
fn words_are_counted_first_and_then_boosted_by_their_rarity() {
    let search = begin("prenormalized-angular", &plan(words("red cat dog")), &[]).unwrap();
    let cluster = |body: &Value| {
        if body.get("aggs").is_some() {
            // The terms are in the order of the query.
            let mut answer = found(Vec::new(), DOCUMENTS.len());
            answer["aggregations"] =
                json!({"0": {"doc_count": 2}, "1": {"doc_count": 2}, "2": {"doc_count": 1}});
            return answer;
        }
        let scores = [1.75, 0.5, 0.25];
        let hits = DOCUMENTS.into_iter().zip(scores);
        found(
            hits.map(|(document, score)| hit(body, document, score))
                .collect(),
            3,
        )
    };
    let (bodies, answer) = run(search, cluster);
    assert_eq!(ranked(&answer), [("a", 1.75), ("b", 0.5), ("c", 0.25)]);
    assert_eq!(answer["hits"][0]["title"], "red dog");
    let clauses = bodies[1]["query"]["bool"]["must"][0]["bool"]["should"].clone();
    let boosts: Vec<f64> = (0..3)
        .map(|at| {
            let term = &clauses[at]["bool"]["should"][0]["term"]["words.title"];
            term["boost"].as_f64().unwrap()
        })
        .collect();
    let rarity = |matching: f64| (1.0 + (3.0 - matching + 0.5) / (matching + 0.5)).ln();
    for (boost, matching) in boosts.iter().zip([2.0, 2.0, 1.0]) {
        assert!((boost - rarity(matching)).abs() < 1e-12, "{clauses}");
    }
}

#[test]
fn the_nearest_pass_the_filter_and_have_our_scores() {
    let mut whole = plan(tensor());
    whole["filter"] = json!("title:(red dog)");
    let search = begin("prenormalized-angular", &whole, &[1.0, 0.0]).unwrap();
    let cluster = |body: &Value| {
        let dots = [1.0, 0.5];
        let hits = DOCUMENTS.into_iter().zip(dots).map(|(document, dot)| {
            let mut hit = hit(body, document, 1.0 + dot);
            let chunk = json!({"_score": 1.0 + dot, "_nested": {"offset": 0}, "_source": {"text": document.1}});
            hit["inner_hits"] = json!({"chunks_v": {"hits": {"hits": [chunk]}}});
            hit
        });
        found(hits.collect(), 2)
    };
    let (bodies, answer) = run(search, cluster);
    let nearest = &bodies[0]["query"]["bool"]["must"][0]["dis_max"]["queries"][0]["nested"];
    assert_eq!(nearest["path"], "chunks_v");
    let knn = &nearest["query"]["knn"]["chunks_v.vector"];
    assert_eq!(knn["vector"], json!([1.0, 0.0]));
    assert!(!knn["filter"].is_null(), "{knn}");
    // A similarity of ours is 1 over 1 and the distance, which is 1 less the product here.
    let ranked = ranked(&answer);
    let expected = [("a", 1.0), ("b", 1.0 / 1.5)];
    assert_eq!(ranked.len(), expected.len());
    for ((id, score), (wanted, similarity)) in ranked.into_iter().zip(expected) {
        assert_eq!(id, wanted);
        assert!((score - similarity).abs() < 1e-6, "{id}: {score}");
    }
    assert_eq!(answer["hits"][0]["_highlights"], json!([{"v": "red dog"}]));
}

#[test]
fn answers_that_are_none_are_errors() {
    for answer in [
        json!({}),
        json!({"hits": {"hits": [{"_score": 1.0}]}}),
        json!({"hits": {"hits": [{"_id": "ia", "_score": 1.0, "_source": {"stored": "?"}}]}}),
    ] {
        let mut search = begin("prenormalized-angular", &plan(tensor()), &[1.0, 0.0]).unwrap();
        assert!(matches!(search.step(&[]), Ok(Step::Send(_))));
        let error = search.step(&[answer]).err().unwrap();
        assert!(error.to_string().contains("cluster"), "{error}");
    }
}

#[test]
fn searches_that_a_cluster_cannot_answer_are_refused() {
    let refused = begin("geodegrees", &plan(tensor()), &[1.0, 0.0]).err();
    assert!(refused.unwrap().starts_with("invalid_argument"));
    for (filter, told) in [
        (
            "other CONTAINS red",
            "invalid_argument: CONTAINS filter field 'other'",
        ),
        ("(", "invalid_argument"),
    ] {
        let mut refused = plan(words("red"));
        refused["filter"] = json!(filter);
        let refused = begin("prenormalized-angular", &refused, &[]).err().unwrap();
        assert!(refused.starts_with(told), "{refused}");
    }
    let mut unknown = plan(words("red"));
    unknown["lexical"]["fields"] = json!(["other"]);
    let refused = begin("prenormalized-angular", &unknown, &[]).err().unwrap();
    assert!(refused.starts_with("invalid_field_name"), "{refused}");
}

#[test]
fn a_filter_asks_for_the_words_of_a_text() {
    let mut contains = plan(tensor());
    contains["filter"] = json!("title CONTAINS (Red Dogs)");
    let mut search = begin("prenormalized-angular", &contains, &[1.0, 0.0]).unwrap();
    let Step::Send(requests) = search.step(&[]).unwrap() else {
        panic!("it asks for the nearest");
    };
    let filter = &requests[0].body["query"]["bool"]["filter"][0];
    let phrase = &filter["bool"]["should"][0]["match_phrase"]["words.title"];
    assert_eq!(phrase["query"], "red dog", "{filter}");
}

/// Answers a search for the nearest, where `a` is the nearest and `c` the farthest.
fn nearest(body: &Value) -> Value {
    let dots = [1.0, 0.5, 0.25];
    let hits = DOCUMENTS.into_iter().zip(dots).map(|(document, dot)| {
        let mut hit = hit(body, document, 1.0 + dot);
        let chunk =
            json!({"_score": 1.0 + dot, "_nested": {"offset": 0}, "_source": {"text": document.1}});
        hit["inner_hits"] = json!({"chunks_v": {"hits": {"hits": [chunk]}}});
        hit
    });
    found(hits.collect(), 3)
}

#[test]
fn a_leg_brings_ids_and_scores_and_the_page_alone_its_documents_and_chunks() {
    let mut whole = plan(tensor());
    for (name, value) in words("red").as_object().unwrap() {
        whole[name] = value.clone();
    }
    whole["retrievalMethod"] = json!("disjunction");
    whole["rankingMethod"] = json!("rrf");
    whole["rrf"] = json!({"alpha": 0.9, "k": 60});
    whole["limit"] = json!(1);
    let cluster = |body: &Value| {
        if body.get("aggs").is_some() {
            let mut answer = found(Vec::new(), DOCUMENTS.len());
            answer["aggregations"] = json!({"0": {"doc_count": 2}});
            return answer;
        }
        match body["query"]["bool"]["filter"][0].get("ids").is_some() {
            true => {
                let mut answer = nearest(body);
                let hits = answer["hits"]["hits"].as_array_mut().unwrap();
                hits.retain(|hit| hit["_id"] == "ia");
                hits[0]["inner_hits"]["chunks_v"]["hits"]["hits"][0]["_nested"]["offset"] =
                    4.into();
                answer
            }
            false => {
                let scores = [1.75, 0.5, 0.25];
                let hits = DOCUMENTS.into_iter().zip(scores);
                let hits = hits.map(|(document, score)| hit(body, document, score));
                found(hits.collect(), 3)
            }
        }
    };
    let search = begin("prenormalized-angular", &whole, &[1.0, 0.0]).unwrap();
    let (bodies, answer) = run(search, cluster);
    // The nearest and the counts of words come together, then the words, then the page.
    let [nearest, _, words, page] = &bodies[..] else {
        panic!("{bodies:?}");
    };
    for leg in [nearest, words] {
        assert_eq!(leg["_source"], false, "{leg}");
        assert!(!leg.to_string().contains("inner_hits"), "{leg}");
    }
    assert_eq!(
        page["query"]["bool"]["filter"][0]["ids"]["values"],
        json!(["ia"])
    );
    assert!(page.to_string().contains("inner_hits"), "{page}");
    assert_eq!(ranked(&answer).len(), 1);
    assert_eq!(answer["hits"][0]["title"], "red dog");
    assert_eq!(answer["hits"][0]["_highlights"], json!([{"v": "red dog"}]));

    whole["showHighlights"] = json!(false);
    let search = begin("prenormalized-angular", &whole, &[1.0, 0.0]).unwrap();
    let (bodies, answer) = run(search, cluster);
    assert!(
        !json!(bodies).to_string().contains("inner_hits"),
        "{bodies:?}"
    );
    assert_eq!(answer["hits"][0]["title"], "red dog");
}

#[test]
fn pages_are_cut_from_a_ranking_and_their_documents_asked_for_by_id() {
    let mut whole = plan(tensor());
    whole["limit"] = json!(1);
    whole["trackTotalHits"] = json!(true);
    let never = Cancellation::never();
    let index = index("prenormalized-angular");
    let mut search =
        ClusterSearch::begin_ranking(&index, whole.to_string().as_bytes(), &[1.0, 0.0], &never)
            .unwrap();
    let Step::Send(requests) = search.step(&[]).unwrap() else {
        panic!("it asks for the nearest");
    };
    let answers: Vec<Value> = requests.iter().map(|one| nearest(&one.body)).collect();
    let Step::Ranked(ranking) = search.step(&answers).unwrap() else {
        panic!("all that there are were found");
    };
    assert_eq!(ranking.count(), 3);
    assert!(ranking.memory_bytes() > 0);
    let page = |ranking: &ClusterRanking, start, limit| {
        let page = ranking.page(start, limit, &never).unwrap();
        run(page, |body| {
            let ids = &body["query"]["bool"]["filter"][0]["ids"]["values"];
            let ids: Vec<&str> = ids
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let is_asked = |id: &str| ids.contains(&&*format!("i{id}"));
            let hits = DOCUMENTS.into_iter().filter(|(id, _)| is_asked(id));
            found(hits.map(|one| hit(body, one, 0.0)).collect(), 3)
        })
    };
    let (bodies, first) = page(&ranking, 0, 2);
    assert_eq!(bodies.len(), 1);
    assert_eq!(bodies[0]["size"], 2, "no more than the page");
    let ids = |answer: &Value| -> Vec<String> {
        ranked(answer)
            .into_iter()
            .map(|(id, _)| id.to_owned())
            .collect()
    };
    assert_eq!(ids(&first), ["a", "b"]);
    assert_eq!(first["totalHits"], 3);
    assert_eq!(first["hits"][0]["_highlights"], json!([{"v": "red dog"}]));
    let (_, second) = page(&ranking, 2, 2);
    assert_eq!(ids(&second), ["c"]);
    assert_eq!(second.get("totalHits"), None);
    let (bodies, behind) = page(&ranking, 3, 2);
    assert_eq!((bodies.len(), ids(&behind).len()), (0, 0));
}

#[test]
fn scores_of_words_are_explained_by_the_numbers_of_the_cluster() {
    let mut whole = plan(words("dogs \"red dog\""));
    whole["explain"] = json!(true);
    let search = begin("prenormalized-angular", &whole, &[]).unwrap();
    let part = |description: &str, value: f64| json!({"description": description, "value": value, "details": []});
    let parts = |frequency: f64| {
        json!([
            part("doc.freq", frequency),
            part("doc.length", 2.0),
            part("field.docCount", 3.0),
            part("field.sumTotalTermFreq", 6.0)
        ])
    };
    let cluster = |body: &Value| {
        if body.get("aggs").is_some() {
            let mut answer = found(Vec::new(), DOCUMENTS.len());
            answer["aggregations"] = json!({"0": {"doc_count": 1}, "1": {"doc_count": 1}});
            return answer;
        }
        let mut hit = hit(body, DOCUMENTS[0], 1.5);
        if body["explain"] == true {
            let word = json!({"description": "weight(words.title:dog in 8) [PerFieldSimilarity], result of:",
                              "value": 0.5, "details": [{"description": "score", "value": 0.5, "details": parts(1.0)}]});
            let token = json!({"description": "score", "value": 0.5, "details": parts(1.0)});
            let phrase = json!({"description": "weight(words.title:\"red dog\" in 8) [PerFieldSimilarity], result of:",
                                "value": 1.0, "details": [{"description": "Sum of:", "value": 1.0, "details": [token, token]}]});
            hit["_explanation"] =
                json!({"description": "sum of:", "value": 1.5, "details": [word, phrase]});
        }
        found(vec![hit], 1)
    };
    let (_, answer) = run(search, cluster);
    let explanation = &answer["hits"][0]["_explanation"];
    assert_eq!(explanation["value"], 1.5, "{answer}");
    let terms = explanation["details"].as_array().unwrap();
    let told: Vec<(&str, f64)> = terms
        .iter()
        .map(|term| {
            (
                term["term"].as_str().unwrap(),
                term["value"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("red dog", 1.0), ("dog", 0.5)]);
}

#[test]
fn a_document_that_is_deleted_meanwhile_is_no_hit() {
    let mut whole = plan(tensor());
    whole["limit"] = json!(200);
    let search = begin("prenormalized-angular", &whole, &[1.0, 0.0]).unwrap();
    let cluster = |body: &Value| {
        if shows(body, "stored") {
            return found(vec![hit(body, DOCUMENTS[1], 0.0)], 1);
        }
        nearest(body)
    };
    let (bodies, answer) = run(search, cluster);
    assert_eq!(bodies.len(), 2, "{bodies:?}");
    assert_eq!(ranked(&answer).len(), 1);
    assert_eq!(ranked(&answer)[0].0, "b");
}

#[test]
fn documents_of_a_context_bring_their_vectors_and_are_no_hits() {
    let mut whole = plan(tensor());
    whole["tensor"]["weights"] = json!([]);
    whole["tensor"]["interpolation"] = json!("lerp");
    whole["context"] = json!({
        "documents": [{"id": "a", "weight": 1.0}], "tensorFields": null, "excludeInputDocuments": true,
        "allowMissingDocuments": false, "allowMissingEmbeddings": false,
    });
    let cluster = |body: &Value| {
        if shows(body, "sources") {
            let source = json!({
                "id": "a", "stored": stored("a", "red dog"),
                "sources": [{"field": "v", "kind": "text", "weights": ""}],
                "chunks_v": [{"text": "red dog", "vector": [0.0, 1.0]}],
            });
            return found(vec![json!({"_score": 0.0, "_source": source})], 1);
        }
        nearest(body)
    };
    let (bodies, _) = run(
        begin("prenormalized-angular", &whole, &[]).unwrap(),
        cluster,
    );
    let query = &bodies[1]["query"]["bool"];
    let knn =
        &query["must"][0]["dis_max"]["queries"][0]["nested"]["query"]["knn"]["chunks_v.vector"];
    assert_eq!(knn["vector"], json!([0.0, 1.0]));
    assert_eq!(query["must_not"]["terms"]["values"], json!(["d0::=a"]));
    assert!(!knn["filter"]["bool"]["must_not"].is_null(), "{knn}");
    whole["context"]["documents"][0]["id"] = json!("z");
    let mut search = begin("prenormalized-angular", &whole, &[]).unwrap();
    assert!(matches!(search.step(&[]), Ok(Step::Send(_))));
    let error = search.step(&[found(Vec::new(), 0)]).err().unwrap();
    assert!(error.to_string().contains("not found: z"), "{error}");
}

#[test]
fn facets_without_terms_of_the_filter_count_what_passes_without_them() {
    let mut whole = plan(tensor());
    whole["filter"] = json!("title:(red dog)");
    whole["facets"] = json!({"maxDepth": null, "fields": [
        {"field": "title", "kind": "string", "excludeTerms": ["title:(red dog)"], "maxResults": 10,
         "order": "desc", "ranges": null},
    ]});
    let cluster = |body: &Value| {
        let mut answer = nearest(body);
        let is_filtered = body["query"]["bool"]["filter"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        if is_filtered {
            answer["hits"]["hits"].as_array_mut().unwrap().truncate(1);
        }
        answer
    };
    let search = begin("prenormalized-angular", &whole, &[1.0, 0.0]).unwrap();
    let (bodies, answer) = run(search, cluster);
    assert_eq!(bodies.len(), 2, "both filters at once: {bodies:?}");
    assert_eq!(ranked(&answer).len(), 1);
    let counts = answer["facets"]["title"].as_object().unwrap();
    assert_eq!(counts.len(), 3, "{answer}");
}

#[test]
fn words_of_hits_are_marked_in_their_texts() {
    let mut whole = plan(words("dogs"));
    whole["lexicalHighlights"] = json!({"fields": null, "preTag": "<", "postTag": ">", "fragmentSize": 100,
                                        "numberOfFragments": 1});
    let search = begin("prenormalized-angular", &whole, &[]).unwrap();
    let cluster = |body: &Value| {
        if body.get("aggs").is_some() {
            let mut answer = found(Vec::new(), DOCUMENTS.len());
            answer["aggregations"] = json!({"0": {"doc_count": 1}});
            return answer;
        }
        found(vec![hit(body, DOCUMENTS[0], 1.0)], 1)
    };
    let (_, answer) = run(search, cluster);
    assert_eq!(
        answer["hits"][0]["_lexicalHighlights"],
        json!({"title": ["red <dog>"]})
    );
}

#[test]
fn a_search_of_more_clauses_than_a_request_holds_is_refused() {
    let english = TextFields::analysis_number(FieldAnalysis::default(), "red dog");
    let names: Vec<String> = (0..256).map(|at| format!("f{at}")).collect();
    let fields = CandidateFields {
        text: TextFields::new(names.iter().map(|name| (&**name, vec![english]))),
        ..CandidateFields::default()
    };
    let index = CandidateIndex::new("u", &definition("euclidean"), b"{}", fields).unwrap();
    let index = Arc::new(index);
    let begun = |count: usize| {
        let text: Vec<String> = (0..count).map(|at| format!("w{at}")).collect();
        let plan = plan(words(&text.join(" "))).to_string();
        let search = ClusterSearch::begin(&index, plan.as_bytes(), &[], &Cancellation::never());
        search
            .map(drop)
            .map_err(|error| format!("{}: {error}", error.code()))
    };
    assert_eq!(begun(64), Ok(()));
    let refusal = begun(65).unwrap_err();
    assert!(refusal.starts_with("invalid_argument: "), "{refusal}");
    assert!(refusal.contains("16640 words in fields"), "{refusal}");
}

#[test]
fn an_index_of_an_earlier_version_has_neither_areas_nor_inner_products() {
    let mut within = plan(words("red dog"));
    within["filter"] = json!("NOT place WITHIN (48.1, 11.5, 10km)");
    let mut sparse = plan(words(""));
    sparse["lexical"]["sparse"] = json!({"field": "splade", "indices": [1], "weights": [1.0]});
    for (asked, lacks) in [(within, "WITHIN"), (sparse, "sparseQuery")] {
        let refused = begin("euclidean", &asked, &[]).err().unwrap();
        assert!(
            refused.starts_with("invalid_argument: Index u "),
            "{refused}"
        );
        assert!(refused.contains(lacks), "{refused}");
        assert!(
            refused.ends_with("export it, delete it, and import it"),
            "{refused}"
        );
    }
}

#[test]
fn a_search_that_is_given_up_asks_for_another_copy_the_next_time() {
    let preference = |attempt: u32| -> String {
        let mut search = begin("euclidean", &plan(words("red dog")), &[]).unwrap();
        let sending = Sending {
            attempt,
            ..Sending::default()
        };
        let Ok(Exchange::Send(lines)) = search.exchange(b"", sending) else {
            panic!("a search begins with a request");
        };
        let head = lines.split(|byte| *byte == b'\n').next().unwrap();
        let head: Value = serde_json::from_slice(head).unwrap();
        head["preference"].as_str().unwrap().to_owned()
    };
    assert_eq!(preference(0), preference(0));
    assert_ne!(preference(0), preference(1));
    assert_ne!(preference(1), preference(2));
}
