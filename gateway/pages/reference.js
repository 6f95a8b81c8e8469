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
    SwaggerUIBundle({
      spec: withOwnLinks(withoutPrefill(spec)),
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

/**
 * Moves the examples of optional parameters into their descriptions. Swagger UI would send them
 * with every request: filters that exclude each other, or the tag of another state.
 */
function withoutPrefill(document) {
  for (const { parameters = [] } of Object.values(document.paths).flatMap(Object.values)) {
    for (const parameter of parameters) {
      if (parameter.required || parameter.example === undefined) continue
      parameter.description = `${parameter.description}. Example: \`${parameter.example}\``
      delete parameter.example
    }
  }
  return document
}

/** Returns a copy of the document whose links to guides lead to this server, as its requests do. */
function withOwnLinks(document) {
  const text = JSON.stringify(document, (key, value) =>
    key === 'description' && typeof value === 'string'
      ? value.replaceAll(/\]\([^()\s]*\/api\/reference\//g, '](reference/')
      : value,
  )
  return JSON.parse(text)
}
