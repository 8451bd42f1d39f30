"""Public pages and API answers for anonymous visitors, served from a shared cache before Django.

A request that names nobody is reduced to what a public page may depend on: host, path, known query parameters, language
and whether htmx asks for a part. Django renders that reduced request, which has no cookies, so nothing of one visitor
can reach another. What it renders is kept under the version of the site (`core.live.site_version`) for a few seconds.
"""
