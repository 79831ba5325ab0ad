/**
 * The Lua function of the pipeline. It gives repeats of one fault the same text, and it leaves one text of each fault of an output:
 *
 * - It removes what differs each time: names of chunks, tasks, connections, sizes, and all lines after the first.
 * - A line of `[tls]` or `[net]` gives the reason of a failure, but names no output. It is not reported by itself, because it could be
 *   about the connection to Muster. The reason is added to the line of the output that fails right after it.
 *   That output takes it, so that no other output gets it.
 * - Outputs such as `es` print no line of their own if they cannot connect; only the engine's line names them, and it comes later. It takes the
 *   latest reason that is left, and only if each of these failures had one lately. Otherwise one output would get the reason of another.
 * - A reason changes at most once a minute, and only after the new one was seen twice in succession, because the lines of several threads can be
 *   mixed.
 * - A full disk prints five lines for each record. While it lasts, the first of them is reported for all, once a second: more than 1000 lines in
 *   one request would be refused.
 * - The reason why a file cannot be opened, such as a missing permission, comes in a line before and names no file. It is added too.
 * - When the engine gives up a chunk, what the output printed just before is reported instead, if it printed anything.
 *
 * The classic format joins the lines with spaces, so that the code has no comments.
 */
export const foldCode = `local reasons, since, missed, outputs, errno = {}, 0, 0, {}, ""
local full, full_time, full_sent, full_forms = "", 0, 0, { "error setting new file size", "cannot adjust chunk size", "error writing data from", "could not create chunk file", "no available chunk" }
function fold(tag, time, record)
  local text = record.message
  text = text:gsub("\\n.*", "")
  text = text:gsub("chunk '[^']*'", "chunk")
  text = text:gsub("%d+%-%d+%.%d+%.flb", "N.flb")
  text = text:gsub("task_id=%d+, ", "")
  text = text:gsub("input=%S+ > ", "")
  text = text:gsub(" %(out_id=%d+%)", "")
  text = text:gsub("retry in %d+ seconds", "retry follows")
  text = text:gsub("connection #%-?%d+", "connection")
  text = text:gsub(" %- event of size .*%)", ")")
  text = text:gsub(", bytes=%d+", "")
  text = text:gsub("fd=%d+ ", "")
  text = text:gsub("([Ii]nvalid time format .*) for '.*", "%1")
  for _, form in ipairs(full_forms) do
    if text:find(form, 1, true) then
      if full == "" or time - full_time > 60 then
        full = text
      elseif time - full_sent < 1 then
        full_time = time
        return -1, time, record
      end
      text, full_time, full_sent = full, time, time
      break
    end
  end
  local opening = text:match("tail_file%.c:%d+ errno=[12][34]%] (.+)")
  if opening then
    errno = ": " .. opening
    return -1, time, record
  end
  if text:find("^%[input:tail:[^%]]+%] cannot open ") then text, errno = text .. errno, "" end
  record.message = text
  if text:find("^%[net%] getaddrinfo") or text:find("^%[tls%] [^c]") or text:find("^%[tls%] certificate") then
    if time - since >= 1 then reasons = {} end
    if #reasons > 99 then table.remove(reasons, 1) end
    reasons[#reasons + 1], since = text, time
    return -1, time, record
  end
  local own = text:match("^%[output:[^:]+:([^%]]+)%]")
  local name = own or text:match("^%[engine%].* output=(%S+)$")
  local fails = record.level == "error" or not own and record.level == "warn" or text:find("http_status=") or text:find("http_do=%-")
  if not name or not fails then return 2, time, record end
  local output = outputs[name] or { cause = not own and "", doubt = 0, last = 0, changed = 0 }
  outputs[name] = output
  if not own and output.text and time - output.last < 2 then
    record.message = output.text
    return 2, time, record
  end
  if not own or text:find("no upstream connections", 1, true) then
    local seen = ""
    if #reasons > 0 and time - since < (own and 0.02 or 1) then
      local last = table.remove(reasons)
      if own or time - missed > 60 then seen = last end
    elseif not own then
      missed = time
    end
    output.doubt = seen == output.cause and 0 or output.doubt + 1
    if not output.cause or output.doubt > (seen == "" and 9 or 1) and time - output.changed > 60 then
      output.cause, output.doubt, output.changed = seen, 0, time
    end
    if output.cause ~= "" then text = text .. ": " .. output.cause end
  end
  if own then output.text, output.last = text, time end
  record.message = text
  return 2, time, record
end`;
