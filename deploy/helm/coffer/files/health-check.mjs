const response = await fetch(process.env.HEALTH_URL, { signal: AbortSignal.timeout(10_000) })
console.log(response.status, await response.text())
process.exitCode = response.ok ? 0 : 1
