package depot

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

// An Item is a thing in the warehouse.
type Item struct {
	ID    string `json:"id,omitempty"` // chosen by the API
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Items has the methods of a Client for items.
type Items struct{ client *Client }

// Create adds an item, and returns it as stored by the API.
func (i *Items) Create(ctx context.Context, item Item) (Item, error) {
	var created Item
	err := i.client.call(ctx, http.MethodPost, "/v1/items", item, &created)
	return created, err
}

// Get returns the item with the given ID.
func (i *Items) Get(ctx context.Context, id string) (Item, error) {
	var item Item
	err := i.client.call(ctx, http.MethodGet, "/v1/items/"+url.PathEscape(id), nil, &item)
	return item, err
}

// List returns all items. It requests each page when it is needed. An error ends the list.
func (i *Items) List(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for cursor, more := "", true; more; more = cursor != "" {
			var page struct {
				Items []Item `json:"items"`
				Next  string `json:"next"` // the cursor of the next page; "": this is the last page
			}
			err := i.client.call(ctx, http.MethodGet, "/v1/items?cursor="+url.QueryEscape(cursor), nil, &page)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			cursor = page.Next
		}
	}
}
