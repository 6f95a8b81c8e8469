// The list of operations: filter, deep links, and the details of an operation once it is opened
// (docs/api/reference-page.md).
import { activate } from './request.js'

const filter = document.getElementById('filter')
const operations = [...document.querySelectorAll('details.operation')]

for (const one of operations) one.addEventListener('toggle', () => toggled(one))
for (const one of document.querySelectorAll('main > article.detail')) activate(one)
if (filter !== null) startFilter()
addEventListener('hashchange', openNamed)
openNamed()

/** Shows the operations that have all words of the filter; Enter opens the first one. */
function startFilter() {
  filter.closest('p').hidden = false
  filter.addEventListener('input', showMatches)
  filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    const first = operations.find((one) => !one.hidden)
    if (first === undefined) return
    // Otherwise the key would close the operation that has the focus after this.
    event.preventDefault()
    first.open = true
    first.querySelector('summary').focus()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, select')) return
    event.preventDefault()
    filter.focus()
  })
  // A browser restores the text of the field when the reader comes back.
  showMatches()
}

function showMatches() {
  const words = filter.value.toLowerCase().split(/\s+/)
  let count = 0
  for (const one of operations) {
    one.hidden = !words.every((word) => one.dataset.words.includes(word))
    if (!one.hidden) count += 1
  }
  for (const group of document.querySelectorAll('.group')) {
    group.hidden = group.querySelector('details.operation:not([hidden])') === null
  }
  const text = count === 1 ? '1 operation' : `${count} operations`
  document.getElementById('matches').textContent =
    count === 0 ? 'No operation has these words' : text
}

/** Opens the operation that the URL names: `#listLinks`, or `#/Links/listLinks` of older links. */
function openNamed() {
  const id = decodeURIComponent(location.hash).replace(/^.*[#/]/, '')
  const named = operations.find((one) => one.id === id)
  if (named === undefined) return
  if (named.hidden) {
    filter.value = ''
    showMatches()
  }
  named.open = true
  named.scrollIntoView()
}

function toggled(operation) {
  if (!operation.open) return
  if (location.hash !== `#${operation.id}`) history.replaceState(null, '', `#${operation.id}`)
  const place = operation.querySelector('p.detail')
  if (place !== null) void load(operation, place)
}

/** Replaces the link to the page of an operation by the content of that page. */
async function load(operation, place) {
  const { href } = place.querySelector('a')
  try {
    const answer = await fetch(href)
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const article = page.querySelector('article')
    for (const shown of article.querySelectorAll('h1, .title')) shown.remove()
    for (const link of article.querySelectorAll('a')) {
      link.href = new URL(link.getAttribute('href'), href).href
    }
    if (!place.isConnected) return
    place.replaceWith(article)
    activate(article)
    if (location.hash === `#${operation.id}`) operation.scrollIntoView({ block: 'nearest' })
  } catch (error) {
    place.append(` cannot be loaded: ${error.message}`)
  }
}
