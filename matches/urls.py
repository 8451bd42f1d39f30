"""Addresses of this room."""

from django.urls import path, re_path

from matches import views

ID = r"(?P<public_id>[2-9a-z]{10})"

urlpatterns = [
    path("check/", views.check, name="check"),
    re_path(rf"^check/{ID}/$", views.submission, name="submission"),
    re_path(rf"^check/{ID}/replay/$", views.replay, name="replay"),
    re_path(rf"^check/{ID}/record\.(?P<extension>mat|sgf|json)$", views.record, name="record"),
]
