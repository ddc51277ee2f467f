module github.com/headway-go/headway

go 1.26
