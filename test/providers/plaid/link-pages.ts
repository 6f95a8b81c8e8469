import type { ServerResponse } from 'node:http'
import type { PlaidInstitution } from './institutions.ts'
import type { PlaidItem } from './item.ts'

/** The simulated Plaid, as its pages use it. */
interface Plaid {
  institutions: Map<string, PlaidInstitution>
  completeLink: (linkToken: string) => { publicToken: string; item: PlaidItem }
}

/** Plaid's script: opens Link in a frame, and hands over what the person chose there. */
const script = `
const origin = new URL(document.currentScript.src).origin
window.Plaid = {
  create({ token, onSuccess, onExit, receivedRedirectUri }) {
    const frame = document.createElement('iframe')
    frame.title = 'Plaid Link'
    frame.style = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0'
    const query = new URLSearchParams({ token, back: receivedRedirectUri ?? '' })
    addEventListener('message', (event) => {
      if (event.source !== frame.contentWindow) return
      frame.remove()
      if (event.data) onSuccess(event.data.publicToken, event.data)
      else onExit(null, {})
    })
    return {
      open() {
        frame.src = origin + '/link/frame?' + query
        document.body.append(frame)
      },
    }
  },
}`

/** The frame: sign-in at the bank, then the choice of accounts; after OAuth the choice at once. */
const frame = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Plaid Link</title>
<style>body { font: 16px system-ui; background: #fff; padding: 2rem }</style>
<h1>Simulated bank</h1><form></form>
<button id="leave">Leave</button><button id="next">Sign in</button>
<script>
const [token, back] = ['token', 'back'].map((one) => new URLSearchParams(location.search).get(one))
const next = document.getElementById('next')
const form = document.querySelector('form')
const end = (message) => parent.postMessage(message, '*')
document.getElementById('leave').onclick = () => end(null)
next.onclick = async () => {
  const answer = await fetch('/link/sign-in', { method: 'POST', body: JSON.stringify({ token }) })
  const { publicToken, institution, accounts } = await answer.json()
  form.innerHTML = accounts.map(({ id, name }) =>
    '<p><label><input type="checkbox" checked value="' + id + '">' + name + '</label></p>').join('')
  next.textContent = 'Link these'
  next.onclick = () => {
    const ids = [...form.querySelectorAll(':checked')].map(({ value }) => value)
    end({ publicToken, institution, accounts: accounts.filter(({ id }) => ids.includes(id)) })
  }
}
if (back.includes('oauth_state_id')) next.click()
</script>`

/** Answers requests for the simulated Plaid Link; returns whether the path is one of its own. */
export function serveLinkPages(
  { url = '', body }: { url?: string | undefined; body: Record<string, unknown> | undefined },
  response: ServerResponse,
  plaid: Plaid,
): boolean {
  const send = (type: string, text: string) => {
    response.writeHead(200, { 'content-type': type }).end(text)
    return true
  }
  if (url === '/link/v2/stable/link-initialize.js') return send('text/javascript', script)
  if (url.startsWith('/link/frame?')) return send('text/html', frame)
  if (url !== '/link/sign-in') return false
  const { publicToken, item } = plaid.completeLink(String(body?.token))
  const { institution_id, name } = plaid.institutions.get(item.institutionId) ?? {}
  const accounts = item.accounts().map((one) => ({ id: one.account_id, name: one.name }))
  const answer = { publicToken, institution: { institution_id, name }, accounts }
  return send('application/json', JSON.stringify(answer))
}
