-- Stores new agreements.
-- KEYS[1]: the partition, see renew.lua
-- ARGV: the proof of this member's turn, milliseconds until the next turn, the ledger, the number of
--   members that are gone, their ids, and then an id and an agreement for each member
-- Returns 1, or 0 if the turn has passed to another member.
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
