// Shows the operations of this server by Swagger UI (docs/api/reference-page.md).

/* global SwaggerUIBundle */
const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

void showOperations(document.getElementById('operations'))

async function showOperations(domNode) {
  try {
    const answer = await fetch('openapi.json')
    const spec = await answer.json()
    // Requests go to the server that shows the page, also if clients use another address.
    spec.servers = [{ url: new URL('..', document.baseURI).pathname }]
    const guides = JSON.parse(domNode.dataset.guides)
    SwaggerUIBundle({
      spec: withLinks(spec, guides),
      domNode,
      deepLinking: true,
      docExpansion: 'none',
      filter: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
    })
  } catch (error) {
    domNode.textContent = `The operations cannot be loaded: ${error.message}`
  }
}

/** Returns a copy of the document whose descriptions link to the guides that they name. */
function withLinks(document, guides) {
  const text = JSON.stringify(document, (key, value) =>
    key === 'description' && typeof value === 'string' ? linkGuides(value, guides) : value,
  )
  return JSON.parse(text)
}

/** Replaces `docs/limits.md#name` by a link in Markdown, if the reference has the page. */
function linkGuides(description, guides) {
  return description.replaceAll(/\bdocs\/([\w/-]+\.md)(#[\w-]+)?/g, (found, path, anchor = '') => {
    const slug = guides[path]
    return slug === undefined ? found : `[${slug}](reference/${slug}${anchor})`
  })
}
