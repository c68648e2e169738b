-- One commit of a game: all of it or nothing.
--
-- KEYS: 1 the game, 2 its event log; for a request with a client's key also
--       3 its record, or
--       3 the keys of its owner, 4 the owner's newest records.
-- ARGV: 1 expected version (0: the game must not exist), 2 new version ('': change nothing, only
--       find out whether a commit would be allowed), 3 state, 4 meta,
--       5 record, 6 lifetime of the record in ms, 7 lifetime of the game in ms,
--       8 '1' to write only where the server refuses writes when replicas are missing,
--       9 '1' to write again what a commit made before has left, so that the caller can wait for it,
--       10 id of the owner's key, or nonce of a commit without a key, 11 the time now in s,
--       12 how many records of an owner stay,
--       13 number of events logged so far, 14 … the new events.
-- Last, it publishes the number of events on the channel of the game, whether that works or not.
-- Returns {'recorded', record}, {'expired'}, {'stale', version}, {'committed', version} or
-- {'allowed'}.

local game = redis.call('HMGET', KEYS[1], 'version', 'nonce')
local confirmed = ARGV[9] == '1'
local name, now, kept = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
local moves = 0 -- how many moves with a key the owner has made, this one included

if #KEYS == 2 and game[2] == name then
  if confirmed then
    redis.call('HSET', KEYS[1], 'nonce', game[2])
  end
  return {'recorded', ''}
elseif #KEYS == 3 then
  local record = redis.call('GET', KEYS[3])
  if record then
    if confirmed then
      redis.call('SET', KEYS[3], record, 'KEEPTTL')
    end
    return {'recorded', record}
  end
elseif #KEYS == 4 then
  local known = redis.call('HMGET', KEYS[3], name, 'n')
  local count, last = string.match(known[1] or '', '^(%d+):(%d+)$')
  if last and tonumber(last) > now then
    if confirmed then
      redis.call('HSET', KEYS[3], name, known[1])
    end
    local record = redis.call('HGET', KEYS[4], count % kept) or ''
    if string.sub(record, 1, #name) == name then
      return {'recorded', string.sub(record, #name + 1)}
    end
    return {'expired'}
  end
  moves = tonumber(known[2] or 0) + 1
end

local version = game[1] or '0'
if version ~= ARGV[1] then
  return {'stale', version}
end
if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[13]) then
  return redis.error_reply('TORN the event log does not fit the game')
end
if ARGV[8] == '1' and
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
  or denied('PEXPIRE', KEYS[1], '1')
  or (#KEYS == 3 and denied('SET', KEYS[3], ''))
  or (#KEYS == 4 and (denied('HGETALL', KEYS[3]) or denied('HDEL', KEYS[3], '')))
if denial then
  return denial
end

if ARGV[2] == '' then
  -- Refused like any write, but there is no such record to be changed.
  redis.call('SET', KEYS[3], '', 'XX')
  return {'allowed'}
end

redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'meta', ARGV[4])
for place = 14, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[place])
end
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PEXPIRE', KEYS[2], ARGV[7])
if #KEYS == 2 then
  redis.call('HSET', KEYS[1], 'nonce', name)
elseif #KEYS == 3 then
  redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6])
elseif #KEYS == 4 then
  redis.call('HSET', KEYS[3], name, moves .. ':' .. now + ARGV[6] / 1000, 'n', moves)
  redis.call('HSET', KEYS[4], moves % kept, name .. ARGV[5])
  redis.call('PEXPIRE', KEYS[3], ARGV[6])
  redis.call('PEXPIRE', KEYS[4], ARGV[6])
  if moves % 64 == 0 then -- forget the keys whose lifetime is over
    local known = redis.call('HGETALL', KEYS[3])
    for place = 1, #known, 2 do
      local last = string.match(known[place + 1], ':(%d+)$')
      if last and tonumber(last) <= now then
        redis.call('HDEL', KEYS[3], known[place])
      end
    end
  end
end

publish(KEYS[1], ARGV[13] + #ARGV - 13)
return {'committed', ARGV[2]}
