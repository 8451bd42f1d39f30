"""How the API cuts long lists."""

from rest_framework.pagination import PageNumberPagination


class Pages(PageNumberPagination):
    """Numbered pages of 50, or of what the client asks for, up to 200."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
