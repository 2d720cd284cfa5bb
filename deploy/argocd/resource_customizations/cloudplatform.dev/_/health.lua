-- Health of every kind of cloudplatform.dev, from its conditions: Ready always, Reconciling or Stalled while not settled.
local health = { status = "Progressing", message = "waiting for the operator to look at it" }

local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end
local ready, stalled = conditions.Ready, conditions.Stalled
if ready == nil then
  return health
end

if obj.metadata.deletionTimestamp ~= nil then
  health.message = "being deleted: " .. ready.message
elseif obj.status.observedGeneration == obj.metadata.generation then
  health.message = ready.message
  if stalled ~= nil and stalled.status == "True" then
    health.status = "Degraded"
  elseif ready.status == "True" then
    health.status = ready.reason == "Paused" and "Suspended" or "Healthy"
  end
end
return health
