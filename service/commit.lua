-- One commit of a game: all of it or nothing.
--
-- KEYS: 1 the game, 2 its event log, 3 the idempotency record.
-- ARGV: 1 expected version (0: the game must not exist), 2 new version, 3 state, 4 meta,
--       5 start of the caller's own record, or '' if any record under the key is it,
--       6 record, 7 lifetime of the record in ms, 8 lifetime of the game in ms,
--       9 number of events logged so far, 10 … the new events.
-- Returns {'kept', record}, {'stale', version} or {'done', version}.

local record = redis.call('GET', KEYS[3])
if record and (ARGV[5] == '' or string.sub(record, 1, #ARGV[5]) == ARGV[5]) then
  return {'kept', record}
end

local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[1] then
  return {'stale', version}
end
if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[9]) then
  return redis.error_reply('TORN the event log does not fit the game')
end

redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'meta', ARGV[4])
for place = 10, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[place])
end
redis.call('SET', KEYS[3], ARGV[6], 'PX', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ARGV[8])
redis.call('PEXPIRE', KEYS[2], ARGV[8])
return {'done', ARGV[2]}
