"""stub"""

from rest_framework.response import Response
from rest_framework.views import APIView


class OneDraw(APIView):
    def get(self, request, division, number):
        return Response({})
