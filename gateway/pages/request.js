// Requests of the reference page: the key of its reader, the form of an operation, its answer.

/** Longest answer that is shown, in characters; a browser takes seconds for a longer text. */
const shownMax = 200_000

const dialog = document.getElementById('credentials')
const opener = document.getElementById('authorize')

/** The API key as `{ id, secret }`, in the memory of this page alone; null without one. */
let key = null

/** Values of path parameters by name: the next operation begins with them. */
const remembered = new Map()

if (opener !== null) startAuthorization()

function startAuthorization() {
  const form = dialog.querySelector('form')
  const { id, secret, forget, cancel } = form.elements
  const use = (chosen) => {
    key = chosen
    form.reset()
    forget.hidden = key === null
    opener.textContent = key === null ? 'Authorize' : `Key ${key.id.slice(0, 9)}…`
    dialog.close()
  }
  opener.hidden = false
  opener.addEventListener('click', () => dialog.showModal())
  // `npm start` prints `id:secret`.
  id.addEventListener('input', () => {
    const [first, second] = id.value.trim().replace(/^KEY=/, '').split(':')
    if (second === undefined) return
    id.value = first
    secret.value = second
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    use({ id: id.value.trim(), secret: secret.value.trim() })
  })
  forget.addEventListener('click', () => use(null))
  cancel.addEventListener('click', () => dialog.close())
}

/** Makes the form of an operation send its request. */
export function activate(article) {
  const form = article.querySelector('form.request')
  const body = form.querySelector('textarea')
  const choice = form.querySelector('.example select')
  const texts = [...form.querySelectorAll('.body-example')]
  const choose = () => {
    const chosen = texts.find(({ dataset }) => dataset.name === choice?.value) ?? texts[0]
    if (chosen !== undefined) body.value = chosen.textContent
  }
  article.classList.add('active')
  for (const text of texts) text.hidden = true
  choice?.addEventListener('change', choose)
  if (body !== null) choose()
  for (const input of form.querySelectorAll('[data-in=path]')) {
    input.value = remembered.get(input.name) ?? ''
    input.addEventListener('input', () => remembered.set(input.name, input.value.trim()))
  }
  const curl = form.querySelector('.curl')
  if (curl === null) return
  const showCurl = () => {
    curl.textContent = curlOf(article, form)
  }
  form.addEventListener('input', showCurl)
  form.addEventListener('change', showCurl)
  showCurl()
  form.elements.copy.addEventListener('click', () => void copy(curl, form.querySelector('.copied')))
  body?.addEventListener('keydown', ({ key: pressed, ctrlKey, metaKey }) => {
    if (pressed === 'Enter' && (ctrlKey || metaKey)) form.requestSubmit()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(article, form)
  })
}

/** Returns the request of a form; parameters without a value are not sent. */
function requestOf({ dataset: { method, path } }, form) {
  const query = new URLSearchParams()
  const headers = {}
  let filled = path
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    const text = value.trim()
    if (text === '') continue
    if (dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(text))
    if (dataset.in === 'query') query.append(name, text)
    if (dataset.in === 'header') headers[name] = text
  }
  const above = location.pathname.replace(/\/api\/reference.*$/, '')
  const search = query.size === 0 ? '' : `?${query}`
  const file = form.querySelector('input[type=file]')
  const text = form.querySelector('textarea')?.value.trim() ?? ''
  if (text !== '') headers['Content-Type'] = 'application/json'
  return { method, url: `${location.origin}${above}${filled}${search}`, headers, text, file }
}

async function send(article, form) {
  const { method, url, headers, text, file } = requestOf(article, form)
  const place = form.querySelector('.answer')
  const button = form.querySelector('[type=submit]')
  if (key !== null && article.dataset.key === 'true') {
    const bytes = new TextEncoder().encode(`${key.id}:${key.secret}`)
    headers.Authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
  }
  const body = text === '' ? undefined : text
  const begin = performance.now()
  button.disabled = true
  try {
    const sent = file === null ? body : formOf(file)
    const answer = await fetch(url, { method, headers, body: sent, cache: 'no-store' })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    place.replaceChildren(...answerParts(answer, bytes, performance.now() - begin))
  } catch (error) {
    place.replaceChildren(element('p', `No answer: ${error.message}`, 'failed'))
  } finally {
    button.disabled = false
    place.hidden = false
  }
}

function formOf({ name, files }) {
  const form = new FormData()
  form.append(name, files[0])
  return form
}

/** Returns the elements that show an answer, which came after `ms` milliseconds. */
function answerParts(answer, bytes, ms) {
  const { status, statusText, headers } = answer
  const line = `${status} ${statusText} after ${Math.round(ms)} ms, ${bytes.length} bytes`
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const sent = element('details', '', 'headers')
  sent.append(element('summary', 'Headers'), block(lines))
  return [
    element('h4', 'Answer'),
    element('p', line, answer.ok ? 'done' : 'failed'),
    ...content(headers.get('content-type') ?? '', bytes),
    sent,
  ]
}

function content(type, bytes) {
  if (bytes.length === 0) return []
  if (!/json|text|xml/.test(type)) return [element('p', `${type}, not shown`)]
  const text = new TextDecoder().decode(bytes)
  const shown = block(textOf(type, text))
  if (!type.startsWith('image/svg+xml')) return [shown]
  const image = element('img', '')
  image.alt = 'The image of the answer'
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`
  return [image, shown]
}

function textOf(type, text) {
  const whole = /json/.test(type) ? indented(text) : text
  return whole.length > shownMax ? `${whole.slice(0, shownMax)}\n… (cut)` : whole
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Returns the request of a form as a command, with `$KEY` (`id:secret`) in place of the key. */
function curlOf(article, form) {
  const { method, url, headers, text, file } = requestOf(article, form)
  const { key: acceptsKey, session } = article.dataset
  const credential = acceptsKey === 'true' ? ['-u "$KEY"'] : []
  if (acceptsKey !== 'true' && session === 'true') credential.push('-b session.txt')
  const name = file?.files[0]?.name ?? 'FILE'
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...credential,
    ...Object.entries(headers).map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`),
    ...(text === '' ? [] : [`-d ${quoted(text)}`]),
    ...(file === null ? [] : [`-F ${quoted(`${file.name}=@${name}`)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** Quotes a text for a POSIX shell. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Copies a text; pages over plain http have no clipboard API, but may copy the selection. */
async function copy(source, status) {
  try {
    await navigator.clipboard.writeText(source.textContent)
  } catch {
    getSelection().selectAllChildren(source)
    document.execCommand('copy')
  }
  status.textContent = 'Copied'
  setTimeout(() => {
    status.textContent = ''
  }, 2_000)
}

function block(text) {
  const made = element('pre', text)
  made.tabIndex = 0
  return made
}

function element(tag, text, className = '') {
  const made = document.createElement(tag)
  made.textContent = text
  made.className = className
  return made
}
