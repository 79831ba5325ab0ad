-- Reports of agent errors for wrk. The file that it is given has a field and its values on every line, with tabs
-- between them: host, header (of agents without a token), body (of a text that is repeated), new (what the body of
-- a new text begins with), every (so manieth report is new; 0: none), array (new texts in a request; 0: it has one report),
-- sent (before: the round goes on), agent (id, token or nothing).

local host, header, newPrefix
local newEvery, arrayLength = 0, 0
local ends, ids, headers, heads = {}, {}, {}, {}
local sent = 0

local function split(line)
  local fields = {}
  for field in (line .. '\t'):gmatch('([^\t]*)\t') do fields[#fields + 1] = field end
  return fields
end

local function ending(body)
  return #body .. '\r\n\r\n' .. body
end

function init(arguments)
  for line in io.lines(arguments[1]) do
    local kind, first, second = unpack(split(line))
    if kind == 'host' then host = first
    elseif kind == 'header' then header = first
    elseif kind == 'new' then newPrefix = first
    elseif kind == 'every' then newEvery = tonumber(first)
    elseif kind == 'array' then arrayLength = tonumber(first)
    elseif kind == 'sent' then sent = tonumber(first)
    elseif kind == 'body' then ends[#ends + 1] = ending(first)
    elseif kind == 'agent' then
      ids[#ids + 1] = first
      if second and second ~= '' then headers[#ids] = 'X-Agent-Token: ' .. second end
    end
  end
end

-- Everything of an agent's request before the length of its body; made once, when it is first needed.
local function headOf(agent)
  local head = heads[agent]
  if head then return head end
  head = 'POST /v1/agents/' .. ids[agent] .. '/errors HTTP/1.1\r\nHost: ' .. host .. '\r\n'
    .. (headers[agent] or header) .. '\r\nContent-Type: application/json\r\nContent-Length: '
  heads[agent] = head
  return head
end

local function arrayOf(number)
  local reports = {}
  for index = 1, arrayLength do reports[index] = newPrefix .. number .. '.' .. index .. '"}' end
  return '[' .. table.concat(reports, ',') .. ']'
end

function request()
  local agent = sent % #ids
  local round = (sent - agent) / #ids
  sent = sent + 1
  local head = headOf(agent + 1)
  if arrayLength > 0 then return head .. ending(arrayOf(sent)) end
  -- With the round, so that where every second report is new each agent has both kinds.
  if newEvery > 0 and (sent + round) % newEvery == 0 then
    return head .. ending(newPrefix .. sent .. '"}')
  end
  return head .. ends[round % #ends + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nfigures {"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"medianMilliseconds":%.3f,"p99Milliseconds":%.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
