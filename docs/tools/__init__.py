"""The tools that make the generated parts of the documents, and the site.

A generated part stands in a Markdown file between two comments, `<!-- generated: NAME -->` and `<!-- end -->`.
`make documents` writes all of them anew; `tests/test_documents.py` fails if one of them is out of date.
"""
