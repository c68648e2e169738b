-- One commit of a game: all of it or nothing.
--
-- KEYS: 1 the game, 2 its event log, 3 the idempotency record.
-- ARGV: 1 expected version (0: the game must not exist), 2 new version ('': change nothing, only
--       find out whether a commit would be allowed), 3 state, 4 meta,
--       5 start of the caller's own record, or '' if any record under the key is it,
--       6 record, 7 lifetime of the record in ms, 8 lifetime of the game in ms,
--       9 '1' to write only where the server refuses writes when replicas are missing,
--       10 '1' to write an existing record once more, so that the caller can wait for it,
--       11 number of events logged so far, 12 … the new events.
-- Returns {'recorded', record}, {'stale', version}, {'committed', version} or {'allowed'}.

local record = redis.call('GET', KEYS[3])
if record and (ARGV[5] == '' or string.sub(record, 1, #ARGV[5]) == ARGV[5]) then
  if ARGV[10] == '1' then
    redis.call('SET', KEYS[3], record, 'KEEPTTL')
  end
  return {'recorded', record}
end

local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[1] then
  return {'stale', version}
end
if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[11]) then
  return redis.error_reply('TORN the event log does not fit the game')
end
if ARGV[9] == '1' and
    not string.find(redis.call('INFO', 'replication'), 'min_slaves_good_slaves', 1, true) then
  return redis.error_reply('UNGUARDED min-replicas-to-write is not set')
end

-- A command that is denied halfway would leave a part of the commit. Redis 6.2 cannot tell.
local function denied(name, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(name, ...) then
    return redis.error_reply("NOPERM no permissions to run the '" .. name .. "' command")
  end
end
local denial = denied('HSET', KEYS[1], 'version', '') or denied('RPUSH', KEYS[2], '')
  or denied('SET', KEYS[3], '') or denied('PEXPIRE', KEYS[1], '1')
if denial then
  return denial
end

if ARGV[2] == '' then
  -- Refused like any write, but there is no such record to be changed.
  redis.call('SET', KEYS[3], '', 'XX')
  return {'allowed'}
end

redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'meta', ARGV[4])
for place = 12, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[place])
end
redis.call('SET', KEYS[3], ARGV[6], 'PX', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ARGV[8])
redis.call('PEXPIRE', KEYS[2], ARGV[8])
return {'committed', ARGV[2]}
