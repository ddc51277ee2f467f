-- Tells members what was agreed on.
-- KEYS[1]: the partition, see renew.lua
-- ARGV: the proof that it is this member's turn, milliseconds until it is anybody's again, the
--   ledger, how many members are gone, their ids, and then an id and what it is told for each
-- Returns 1, or 0 if it is not its turn any more.
local key = KEYS[1]
if redis.call('HGET', key, 'd') ~= ARGV[1] then
	return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', key, 'd', string.format('%.0f', now + ARGV[2]), 'w', string.format('%.0f', now), 'l', ARGV[3])
local gone = tonumber(ARGV[4])
for i = 5, 4 + gone do
	redis.call('HDEL', key, 'm' .. ARGV[i], 't' .. ARGV[i])
end
for i = 5 + gone, #ARGV, 2 do
	redis.call('HSET', key, 't' .. ARGV[i], ARGV[i + 1])
end
return 1
