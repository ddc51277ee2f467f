-- Stores a member's record of one partition, and returns the member's last agreement.
-- KEYS[1]: the partition, a hash with the fields
--   b: when the hash was made
--   w: when agreements were last stored
--   d: when the current turn to divide ends, or when the next one begins
--   l: the ledger
--   m<id>: a member's "<time> <record>"
--   t<id>: a member's agreement
-- ARGV: id, record, milliseconds to keep the partition, milliseconds that a turn takes,
--   most fields, most bytes of a value
-- Returns the time in milliseconds and the agreement. If it is this member's turn to divide, it also
-- returns the proof of the turn, and all fields except those that are too long.
local key, id = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local size, most = redis.call('HLEN', key), tonumber(ARGV[5])
if size > 2 * most or size > most and redis.call('HEXISTS', key, 'm' .. id) == 0 then
	return redis.error_reply('headway: too many members')
end

-- If the clock was set back, all times in the partition are wrong, so it is made again.
local born = tonumber(redis.call('HGET', key, 'b') or '')
local written = tonumber(redis.call('HGET', key, 'w') or '')
if not born or not (math.max(born, written or 0) <= now + 1000) then
	redis.call('DEL', key)
	redis.call('HSET', key, 'b', string.format('%.0f', now))
elseif written then
	now = math.max(now, written + 1) -- so that the record is seen to be newer
end
redis.call('HSET', key, 'm' .. id, string.format('%.0f ', now) .. ARGV[2])
redis.call('PEXPIRE', key, ARGV[3])

local told = redis.call('HGET', key, 't' .. id)
if told and #told > tonumber(ARGV[6]) then
	told = false
end
local due = tonumber(redis.call('HGET', key, 'd') or '')
if due and now < due and due < now + 60000 then
	return { now, told }
end
local claim = string.format('%.0f', now + ARGV[4])
redis.call('HSET', key, 'd', claim)

local all, few = redis.call('HGETALL', key), {}
for i = 1, #all, 2 do
	if #all[i] <= 64 and #all[i + 1] <= tonumber(ARGV[6]) then
		few[#few + 1] = all[i]
		few[#few + 1] = all[i + 1]
	end
end
return { now, told, claim, few }
