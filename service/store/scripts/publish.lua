-- Tells those who watch a game how many events it has; a failure of this fails no script.
local function publish(game, seq)
  -- The right is asked for before, since a server notes each denial. Both are there since Redis 7.
  local command = redis.acl_check_cmd and 'SPUBLISH' or 'PUBLISH'
  local channel = string.gsub(game, 'game$', 'news')
  if not redis.acl_check_cmd or redis.acl_check_cmd(command, channel, seq) then
    redis.pcall(command, channel, seq)
  end
end

