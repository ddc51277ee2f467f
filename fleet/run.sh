go test -run 'TestFleet$/(8|30|80|200)_busy_with_2' -fleet.long -v . 2>&1 | grep -E "refused|FAIL.*busy|unserved" | grep -v headers
