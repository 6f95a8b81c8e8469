/** A multipart form as a request has it. */
export async function formOf(
  parts: Record<string, string | File>,
): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) form.append(name, part)
  const request = new Request('http://coffer.test', { method: 'POST', body: form })
  const type = request.headers.get('content-type') ?? ''
  return { body: Buffer.from(await request.arrayBuffer()), headers: { 'content-type': type } }
}
